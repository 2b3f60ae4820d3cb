// Names beside the muscles that work most, with nerve and action; they follow the picture.

import { actions, nerveName } from "./anatomy";
import type { StudioData } from "./data";
import { byId, el } from "./dom";
import type { Frame } from "./frame";
import type { View } from "./view";

const MOST = 7;
/** Width, height and how many actions; where a half is narrow one has to do. */
const WIDE = { width: 148, height: 46, acts: 2 };
const NARROW = { width: 92, height: 44, acts: 1 };

export class Labels {
  on = false;
  private readonly root = byId("labels");

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
    private readonly frame: Frame,
  ) {}

  /** The strands to name: the selected one and those that work most, one of each muscle. */
  private chosen(): number[] {
    const seen = new Set<number>();
    const order = [...this.data.strands.keys()].sort((a, b) => this.level(b) - this.level(a));
    const top = order.filter((s) => this.level(s) > 0.004 && !seen.has(this.data.strands[s].muscle) && seen.add(this.data.strands[s].muscle)).slice(0, MOST);
    const { selected } = this.view;
    return selected >= 0 && !top.includes(selected) ? [selected, ...top.slice(0, MOST - 1)] : top;
  }

  private level(strand: number): number {
    const { muscle } = this.data.strands[strand];
    return muscle < 0 ? 0 : this.frame.activation[muscle];
  }

  draw(): void {
    if (!this.on) {
      if (this.root.childElementCount) this.root.replaceChildren();
      return;
    }
    const { clientWidth: w, clientHeight: h } = this.root;
    const least = this.view.split ? w / 2 : 0;
    const narrow = w - least < 480;
    const { width, height, acts } = narrow ? NARROW : WIDE;
    this.root.classList.toggle("narrow", narrow);
    const places = this.chosen().map((s) => ({ s, ...this.view.screenAt(this.view.tubes.middleOf(s)) }));
    const middle = places.reduce((sum, p) => sum + p.x, 0) / (places.length || 1);
    const nodes: Node[] = [];
    for (const right of [false, true]) {
      let y = 56;
      for (const p of places.filter((q) => q.x >= middle === right).sort((a, b) => a.y - b.y)) {
        y = Math.min(Math.max(p.y - height / 2, y), h - 130);
        const x = right ? w - width - 10 : least + 10;
        nodes.push(this.lead(p.x, p.y, right ? x : x + width, y + height / 2), this.label(p.s, x, y, acts));
        y += height + 4;
      }
    }
    this.root.replaceChildren(...nodes);
  }

  private label(strand: number, x: number, y: number, acts: number): HTMLElement {
    const { muscle, name } = this.data.strands[strand];
    const nerve = nerveName(this.data, strand);
    const doing = actions(this.data, strand, acts);
    const node = el("div", { class: "name-tag" },
      el("strong", {}, this.data.muscles[muscle] ?? name), nerve ? el("span", { class: `nerve ${nerve}` }, nerve) : "", el("small", { title: doing }, doing));
    node.style.transform = `translate(${x}px, ${y}px)`;
    return node;
  }

  private lead(x0: number, y0: number, x1: number, y1: number): HTMLElement {
    const line = el("div", { class: "lead" });
    line.style.width = `${Math.hypot(x1 - x0, y1 - y0)}px`;
    line.style.transform = `translate(${x0}px, ${y0}px) rotate(${Math.atan2(y1 - y0, x1 - x0)}rad)`;
    return line;
  }
}
