// The answer as a table for a spreadsheet: one line for each figure of a joint or a muscle, healthy and case side by side.

import { changeText, NOTICE } from "./anatomy";
import type { Answer, Change, Held, StudioData } from "./data";

const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
const DEGREES = 180 / Math.PI;

export function answerCsv(data: StudioData, answer: Answer, changes: Change[]): string {
  const lines = [`# ${data.name}: ${changes.map(changeText).join("; ") || "healthy"}`, `# ${NOTICE}`, "item,name,quantity,unit,healthy,case"];
  const row = (item: string, name: string, quantity: string, unit: string, of: (h: Held) => string | number | undefined) =>
    lines.push([item, name, quantity, unit, of(answer.healthy) ?? "", answer.case ? (of(answer.case) ?? "") : ""].map((v) => quoted(String(v))).join(","));
  row("pose", "", "verdict", "", (h) => h.verdict);
  row("pose", "", "largest missing torque", "mN m", (h) => h.unmet);
  row("pose", "", "reserve", "1", (h) => h.reserve);
  row("pose", "", "effort", "1", (h) => h.effort);
  data.coordinates.forEach((c, i) => {
    const scale = c.unit === "rad" ? DEGREES : 1000;
    const unit = c.unit === "rad" ? "deg" : "mm";
    row("joint", c.name, "asked", unit, (h) => (scale * h.pose[i]).toFixed(2));
    row("joint", c.name, "ends up", unit, (h) => (scale * (h.nearest ?? h).pose[i]).toFixed(2));
    row("joint", c.name, "missing torque", "mN m", (h) => h.missing[i]);
  });
  data.muscles.forEach((m, i) => row("muscle", m, "activation", "1", (h) => h.activation[i]));
  for (const u of answer.compensators ?? [])
    lines.push(`muscle,${quoted(u.unit)},${u.must ? "must" : "may"} compensate: change of force,N,,${u.force}`);
  data.strands.forEach((s, i) => s.line && row("strand", s.name, "force", "N", (h) => h.force[i]));
  return `${lines.join("\n")}\n`;
}
