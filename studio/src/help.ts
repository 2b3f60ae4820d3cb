// The help panel: what the page does, and every key.

import { byId, el } from "./dom";

const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["R", "live: back to rest"],
  ["K", "live: key this pose"],
  ["← →", "one frame back or forward; ten with shift"],
  ["home end", "first or last frame"],
  [", .", "slower or faster"],
  ["/", "find a muscle"],
  ["↑ ↓", "move through the list of muscles"],
  ["esc", "deselect the muscle"],
  ["B S G C W D", "bones, strands, target, constraints, wrap surfaces, grid"],
  ["O", "soft muscles or their strands"],
  ["K", "skin: hidden, translucent, opaque"],
  ["1 2 3 4 5 6", "look from the sides that the buttons name"],
  ["F", "fit: whole model or close; the selected muscle if there is one"],
  ["arrows + −", "with the picture in focus: turn and zoom"],
  ["A", "colours up to the largest activation, or up to 1"],
  ["I H U", "only the selected muscle; hide it; show all again"],
  ["M", "colours of anatomy, or a scale of activations"],
  ["P", "save the picture as a PNG file"],
  ["O E L H", "clinic: faint by activity, spread, labels, which hand"],
  ["T", "light or dark"],
  ["?", "this help"],
];

/** Why a fist that holds nothing shows other muscles than one expects. */
export const WHY_UNLOADED =
  "A fist that holds nothing hardly needs its flexors: the tendons bend the joints with little force, and the strongest signals are those of extensors and interossei, which keep the knuckles from bending too far and sideways. With something to grip, the flexors and the thumb do the work.";

export function makeHelp(live: boolean, clinic: boolean, pictures: HTMLElement): HTMLDialogElement {
  const dialog = byId<HTMLDialogElement>("help");
  const close = el("button", { type: "button", class: "icon", "aria-label": "Close help" }, "×");
  close.addEventListener("click", () => dialog.close());
  dialog.append(
    el("div", { class: "title" }, el("h2", { id: "help-title" }, "How to use this page"), close),
    el("p", {}, "Drag to turn the model, scroll or pinch to zoom, drag with the right button or two fingers to move it. Click a strand to see its activation, force and length. The band behind the timeline shows the activation of every muscle over time, one row each."),
    el("p", {}, WHY_UNLOADED),
    el("p", {}, "If motion stutters on this machine, the page draws more simply while things move and in full when they rest. Best turns this off, Fast always draws simply. "), el("p", {}, pictures),
    ...(live ? [el("p", {}, "Live: the sliders drive the muscles and the simulation answers. Follow turns the controller on: it finds the activations that bring the bones to the target, which the sliders of the Pose panel set, or a bone that you drag with shift held down.")] : []),
    ...(clinic ? [el("p", {}, "Clinic: choose a pose or move the joints, and choose what is wrong with the hand. The page says whether a healthy hand and this one can hold the pose, which joints fail, and which muscles take over. The wireframe is the pose that was asked for. Not a medical device.")] : []),
    el("dl", { class: "keys-list" }, ...KEYS.map(([k, what]) => el("div", {}, el("dt", {}, ...k.split(" ").map((x) => el("kbd", {}, x))), el("dd", {}, what)))),
  );
  dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
  byId("help-open").addEventListener("click", () => dialog.showModal());
  return dialog;
}
