// A few lines that make elements; text always goes in as text, never as markup.

type Props = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value as EventListener);
    else if (value === true) node.setAttribute(key, "");
    else node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}

export function byId<T extends HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`no element ${id}`);
  return node as T;
}

/** Hands a text over as a file. */
export function save(name: string, type: string, text: string): void {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

let region: HTMLElement | null = null;

/** Says something to screen readers. */
export function announce(text: string): void {
  region ??= byId("announce");
  region.textContent = text;
}

/** A number with three significant places at most, for people. */
export function pretty(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const a = Math.abs(value);
  return value.toFixed(a >= 100 ? 0 : a >= 10 ? 1 : 2);
}

/** A canvas's drawing context, its size set to the pixels it covers. */
export function sharpContext(canvas: HTMLCanvasElement): { c: CanvasRenderingContext2D; w: number; h: number } | null {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const w = canvas.clientWidth;
  const h = canvas.clientHeight;
  if (w === 0 || h === 0) return null;
  const pw = Math.round(w * ratio);
  const ph = Math.round(h * ratio);
  if (canvas.width !== pw) canvas.width = pw;
  if (canvas.height !== ph) canvas.height = ph;
  const c = canvas.getContext("2d");
  if (!c) return null;
  c.setTransform(pw / w, 0, 0, ph / h, 0, 0);
  c.clearRect(0, 0, w, h);
  return { c, w, h };
}

export function cssVar(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
