// Writes the studio's data container (docs/studio.md) from plain arrays: the tests' own writer, so that the page is
// tested without the library, and the library's writer against an independent reader of the same description.

export class Packer {
  parts = [];
  size = 0;

  add(array, type, extra = {}) {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const blob = { type, offset: this.size, count: array.length, ...extra };
    const padding = (4 - (bytes.length % 4)) % 4;
    this.parts.push(bytes, Buffer.alloc(padding));
    this.size += bytes.length + padding;
    return blob;
  }

  f32(values) {
    return this.add(Float32Array.from(values), "f32");
  }

  u16(values) {
    return this.add(Uint16Array.from(values), "u16");
  }

  /** Quantised to 16 bits over the range of the values. */
  i16(values) {
    let low = Infinity;
    let high = -Infinity;
    for (const v of values) (low = Math.min(low, v)), (high = Math.max(high, v));
    const scale = (high - low) / 65534 || 1;
    const bias = (low + high) / 2;
    return this.add(Int16Array.from(values, (v) => Math.round((v - bias) / scale)), "i16", { scale, bias: [bias] });
  }

  finish(head) {
    let text = Buffer.from(JSON.stringify(head), "utf8");
    text = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, " ")]);
    const front = Buffer.alloc(16);
    front.write("SWNS", 0, "latin1");
    front.writeUInt32LE(1, 4);
    front.writeUInt32LE(text.length, 8);
    return Buffer.concat([front, text, ...this.parts]);
  }
}

/** Puts a container into the page that the build made. */
export function inline(page, container) {
  const slot = '<script id="sinew-data" type="application/octet-stream">';
  if (!page.includes(slot)) throw new Error("the page has no slot for data");
  return page.replace(slot, () => slot + container.toString("base64"));
}
