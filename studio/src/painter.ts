// Puts pictures on the canvas, each at a level of quality. The canvas itself has one sample for each pixel, so that cheap
// pictures are cheap; a smooth picture is drawn into a buffer with as many samples as the browser gives its own smooth
// canvases, and copied.

import * as THREE from "three";
import { Plain, type Lights } from "./plain";
import { LEVELS, Quality, REST_MS } from "./quality";

/** A part of the picture, in fractions of its width, and what must be visible in it. */
export interface Part {
  from: number;
  to: number;
  prepare(): void;
}

/** Samples of a smooth canvas in this browser: people and drivers can turn them off. */
function samplesOfCanvas(): number {
  const gl = document.createElement("canvas").getContext("webgl2", { antialias: true });
  const samples = gl ? gl.getParameter(gl.SAMPLES) : 0;
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return samples;
}

export class Painter {
  readonly quality = new Quality();
  readonly renderer: THREE.WebGLRenderer;
  /** of the picture on the canvas, as an index into LEVELS */
  shown = 0;
  private readonly plain: Plain;
  private readonly copy = new THREE.Mesh(
    new THREE.PlaneGeometry(2, 2),
    new THREE.ShaderMaterial({
      uniforms: { map: { value: null } },
      vertexShader: "void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }",
      fragmentShader: "uniform sampler2D map;\nvoid main() { gl_FragColor = texelFetch(map, ivec2(gl_FragCoord.xy), 0); }",
      depthTest: false, depthWrite: false, blending: THREE.NoBlending,
    }),
  );
  private readonly flat = new THREE.Camera();
  private samples: number | null = null;
  private buffer: THREE.WebGLRenderTarget | null = null;
  private timer = 0;
  private size = { w: 1, h: 1 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly scene: THREE.Scene,
    private readonly camera: THREE.Camera,
    lights: Lights,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, alpha: true, powerPreference: "high-performance" });
    this.renderer.info.autoReset = false;
    this.copy.frustumCulled = false;
    this.plain = new Plain(lights);
  }

  resize(w: number, h: number): void {
    this.size = { w, h };
  }

  /** Calls back when the picture on the canvas has been at rest for a while and is not a full one. */
  settle(full: () => void): void {
    window.clearTimeout(this.timer);
    if (this.shown > 0) this.timer = window.setTimeout(full, REST_MS);
  }

  paint(level: number, parts: Part[]): void {
    const { scale, smooth, plain } = LEVELS[level];
    this.fit(scale);
    const buffer = smooth ? this.smoothBuffer() : null;
    this.renderer.info.reset();
    this.renderer.setRenderTarget(buffer);
    for (const part of parts) {
      this.aim(buffer, part);
      part.prepare();
      if (plain) this.plain.enter(this.scene, this.camera);
      this.renderer.render(this.scene, this.camera);
      if (plain) this.plain.leave();
    }
    if (buffer) this.show(buffer);
    this.shown = level;
  }

  /** The canvas gets the pixels of a level; setting its size empties it, so only if it has others. */
  private fit(scale: number): void {
    const ratio = scale * Math.min(window.devicePixelRatio || 1, 2);
    const { w, h } = this.size;
    if (this.canvas.width === Math.floor(w * ratio) && this.canvas.height === Math.floor(h * ratio)) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(w, h, false);
  }

  private aim(buffer: THREE.WebGLRenderTarget | null, { from, to }: Part): void {
    const whole = from === 0 && to === 1;
    const { w, h } = buffer ? { w: buffer.width, h: buffer.height } : this.size;
    const box = [from * w, 0, (to - from) * w, h] as const;
    if (buffer) {
      buffer.viewport.set(...box);
      buffer.scissor.set(...box);
      buffer.scissorTest = !whole;
      this.renderer.setRenderTarget(buffer);
    } else {
      this.renderer.setViewport(...box);
      this.renderer.setScissor(...box);
      this.renderer.setScissorTest(!whole);
    }
  }

  /** null: this browser has no smooth edges. */
  private smoothBuffer(): THREE.WebGLRenderTarget | null {
    this.samples ??= Math.min(samplesOfCanvas(), this.renderer.capabilities.maxSamples);
    if (this.samples < 2) return null;
    const { width, height } = this.canvas;
    if (!this.buffer) {
      this.buffer = new THREE.WebGLRenderTarget(width, height, {
        samples: this.samples, colorSpace: THREE.SRGBColorSpace, internalFormat: "RGBA8", minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter,
      });
      // three.js leaves colours linear in a buffer; what goes to a headset is encoded as for a screen, and so is this.
      (this.buffer as THREE.WebGLRenderTarget & { isXRRenderTarget: boolean }).isXRRenderTarget = true;
    }
    this.buffer.setSize(width, height);
    return this.buffer;
  }

  private show(buffer: THREE.WebGLRenderTarget): void {
    this.renderer.setRenderTarget(null);
    this.renderer.setScissorTest(false);
    this.renderer.setViewport(0, 0, this.size.w, this.size.h);
    (this.copy.material as THREE.ShaderMaterial).uniforms.map.value = buffer.texture;
    this.renderer.render(this.copy, this.flat);
  }
}
