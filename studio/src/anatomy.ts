// Words for what the clinical page shows: nerves, joints, actions, changes.

import type { Change, Coordinate, StudioData } from "./data";

export const NOTICE = "Not a medical device: the model has not been compared with any patient.";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** ulnar-low: Ulnar nerve, low. */
export function lesionName(lesion: string): string {
  const [nerve, where] = lesion.split(/-(?=low$|high$)/);
  if (lesion === "recurrent-motor") return "Recurrent motor branch, median nerve";
  const level = where === "low" ? ", at the wrist" : where === "high" ? ", at the elbow" : "";
  return `${capital(nerve.replace(/-/g, " "))} nerve${level}`;
}

/** The nerve that makes a strand work, from the lesions that paralyse it. */
export function nerveName(data: StudioData, strand: number): string {
  const nerves = data.strands[strand].line?.nerves ?? [];
  const branch: Record<string, string> = { "posterior-interosseous": "radial", "anterior-interosseous": "median", "recurrent-motor": "median" };
  const stems = new Set(nerves.map((n) => branch[n] ?? n.replace(/-(low|high)$/, "")));
  return [...stems].join(", ");
}

export function coordinateName(c: Coordinate): string {
  return [c.jointLabel || c.joint, c.motion.replace(/_/g, " ")].filter(Boolean).join(" ");
}

/** What a strand does: the coordinates that it turns most, with the direction in words. */
export function actions(data: StudioData, strand: number, most = 4): string {
  const opposite: Record<string, string> = { flexion: "extension", abduction: "adduction", deviation: "ulnar deviation" };
  const words = (data.strands[strand].line?.acts ?? []).slice(0, most).map(({ coordinate, arm }) => {
    const c = data.coordinates[coordinate];
    const motion = arm >= 0 ? (c.motion === "deviation" ? "radial deviation" : c.motion) : (opposite[c.motion] ?? `against ${c.motion}`);
    return `${(c.jointLabel || c.joint).replace(" finger ", " ")} ${motion}`;
  });
  return words.join(", ");
}

/** The first strand of a muscle. */
export function strandOf(data: StudioData, muscle: number): number {
  return data.strands.findIndex((s) => s.muscle === muscle);
}

export function unitLabel(data: StudioData, unit: string): string {
  const strand = strandOf(data, data.muscles.indexOf(unit));
  return strand >= 0 ? data.strands[strand].label.split(/, (?:superficial|deep)/)[0] : "";
}

/** A change in a few words. */
export function changeText(c: Change): string {
  const percent = `${Math.round(100 * c.value)} %`;
  switch (c.kind) {
    case "nerve":
      return lesionName(c.name).replace(/(, |$)/, (end) => ` cut${end ? " " : ""}`);
    case "strength":
      return c.value === 0 ? `${c.name} paralysed` : `${c.name} weak: ${percent} left`;
    case "cut":
      return `${c.name} cut`;
    case "cost":
      return `${c.name} tired: effort × ${c.value}`;
    case "passive":
      return `${c.name} contracture × ${c.value}`;
    case "fuse":
      return `${c.name} fused at ${c.value}°`;
    case "load":
      return `${Math.hypot(...c.force).toFixed(1)} N on ${c.name}`;
    case "transfer":
      return `${c.name} transferred to ${c.to}`;
    default:
      return `${c.kind} ${c.name}`;
  }
}

/** Strands that a case leaves without force of their own. */
export function idleStrands(data: StudioData, changes: Change[]): Set<number> {
  const idle = new Set<number>();
  data.strands.forEach((s, i) => {
    const named = (c: Change) => c.name === s.name || c.name === data.muscles[s.muscle];
    const off = changes.some((c) =>
      c.kind === "nerve" ? s.line?.nerves.includes(c.name) : (c.kind === "cut" || (c.kind === "strength" && c.value === 0)) && named(c));
    if (off) idle.add(i);
  });
  return idle;
}

const TAGS: Record<Change["kind"], string> = {
  strength: "Strength", passive: "Passive", cost: "Cost", cut: "Cut", nerve: "Nerve", fuse: "Fuse", load: "Load", transfer: "Transfer", couple: "Couple",
};

/** A case as the file that the commands read. */
export function caseXml(model: string, changes: Change[]): string {
  const root = document.implementation.createDocument(null, "Case");
  root.documentElement.setAttribute("version", "1");
  root.documentElement.setAttribute("model", model);
  for (const c of changes) {
    const node = root.createElement(TAGS[c.kind]);
    node.setAttribute("name", c.name);
    if (c.kind === "transfer") node.setAttribute("to", c.to);
    if (c.kind === "load") node.setAttribute("force", c.force.join(" "));
    if (["strength", "passive", "cost", "fuse"].includes(c.kind) || (c.kind === "transfer" && c.value > 0)) node.setAttribute("value", String(c.value));
    root.documentElement.append("\n  ", node);
  }
  root.documentElement.append("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

/** The changes of such a file; throws with what is wrong. */
export function readCase(text: string, model: string): Change[] {
  const root = new DOMParser().parseFromString(text, "application/xml").documentElement;
  if (root.tagName !== "Case") throw new Error("this is not a case file");
  const of = root.getAttribute("model");
  if (of && of !== model) throw new Error(`this is a case of the model ${of}, not of ${model}`);
  return [...root.children].map((node) => {
    const kind = (Object.keys(TAGS) as Change["kind"][]).find((k) => TAGS[k] === node.tagName);
    if (!kind) throw new Error(`unknown element ${node.tagName}`);
    const force = (node.getAttribute("force") ?? "0 0 0").trim().split(/\s+/).map(Number);
    const value = Number(node.getAttribute("value") ?? 0);
    if (force.length !== 3 || ![...force, value].every(Number.isFinite)) throw new Error(`${node.tagName}: not a number`);
    return { kind, name: node.getAttribute("name") ?? "", to: node.getAttribute("to") ?? "", value, force: force as [number, number, number] };
  });
}
