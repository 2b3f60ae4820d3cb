// The module against the native command: the same motion, the same numbers. What is compared is every column of the
// table that `sinew track` writes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { load, pack, PACKAGE, readTable, scratch, sinew, SinewError } from "./common.mjs";

/** Largest difference over all columns that begin with one of the words; all columns of the table must be there. */
function worstDifference(replay, table, words) {
  let worst = 0;
  for (const [name, native] of table) {
    if (name === "time") continue;
    const ours = replay.get(name);
    assert.equal(ours.length, native.length, name);
    if (words.some((word) => name.startsWith(word))) native.forEach((v, f) => (worst = Math.max(worst, Math.abs(v - ours[f]))));
  }
  return worst;
}

async function compare(model, motion, limits) {
  const out = join(scratch, `${model}-${motion}`);
  const native = JSON.parse(sinew("track", model, motion, "-o", out, "--json"));
  const core = await load();
  await core.add(pack(model));
  const made = core.model(model);
  made.track(motion).report; // the second run is what a page sees: compiled by then
  const replay = made.track(motion);
  const table = readTable(`${out}.sto`);
  assert.deepEqual(new Set(["time", ...replay.names]), new Set(table.keys()));
  for (const [words, limit] of limits) {
    const worst = worstDifference(replay, table, words);
    console.log(`${model} ${motion}: ${words.join(" ")} equal to ${worst.toExponential(1)}`);
    assert.ok(worst <= limit, `${words}: ${worst} > ${limit}`);
  }
  const speed = (r) => (r.simulated / r.seconds).toFixed(1);
  const theirs = native.simulated_s / native.seconds;
  console.log(`${model} ${motion}: ${speed(replay.report)} times real time, native ${theirs.toFixed(1)}`);
  return { made, replay };
}

test("the clinical hand makes a fist as the native command does", async () => {
  const { replay } = await compare("hand-clinical", "fist", [[["activation/", "coordinate/", "length/", "tension/"], 1e-9]]);
  assert.equal(replay.frames, 82);
  assert.ok(replay.report.maxActivation > 0.1 && replay.report.maxActivation < 0.3);
  assert.equal(replay.poses.length, replay.frames * replay.bodies.length * 7);
});

test("the body curls its arm as the native command does, with all its muscles", async () => {
  const { made } = await compare("body", "curl", [[["activation/", "coordinate/", "length/", "tension/"], 1e-9]]);
  assert.equal(made.count("muscle"), 814);
});

// Another elimination order than AMD's: rounding differs, and the stiff strands of the hand magnify it in their forces.
test("the hand of strands makes a fist as the native command does", async () => {
  await compare("hand", "fist", [[["activation/"], 1e-7], [["length/", "coordinate/"], 1e-8], [["tension/"], 1e-5]]);
});

test("a motion that is given as a file: key poses, in memory", async () => {
  const core = await load();
  await core.add(pack("hand-clinical"));
  const hand = core.model("hand-clinical");
  const content = "time,pip2.flexion\n0,0\n1,40\n2,0\n";
  const replay = hand.track({ name: "mine.pose.csv", content }, { frameRate: 24 });
  assert.equal(replay.frames, 49);
  const [angle] = replay.names.filter((n) => n.startsWith("coordinate/pip2"));
  const bent = replay.get(angle)[24];
  assert.ok(Math.abs(bent - (40 * Math.PI) / 180) < 0.02, `${bent}`);
  const paralysed = hand.track({ name: "mine.pose.csv", content }, { changes: [{ kind: "nerve", name: "median-high" }] });
  assert.ok(paralysed.get("activation/FDS2").every((a) => a === 0), "a cut nerve drives nothing");
});

test("errors of the library come through with file, line and remedy", async () => {
  const core = await load();
  await core.add(pack("hand-clinical"));
  const hand = core.model("hand-clinical");
  const refused = (work, pattern, parts = {}) =>
    assert.throws(work, (e) => {
      assert.ok(e instanceof SinewError, String(e));
      assert.match(e.message, pattern);
      for (const [key, value] of Object.entries(parts)) assert.equal(e[key], value, key);
      return true;
    });
  refused(() => core.model("foot"), /"foot" is neither a file nor the name of a model.*hand-clinical/, { status: "SN_NO_FILE" });
  refused(() => hand.track("fistt"), /fist/, { status: "SN_NO_FILE" });
  refused(() => hand.track({ name: "bad.pose.csv", content: "time,pip2.flexion\n0,0\n1,x\n" }), /x/, { status: "SN_BAD_FILE", line: 3 });
  refused(() => hand.patient([{ kind: "nerve", name: "ulnar" }]), /ulnar/, { status: "SN_BAD_INPUT" });
  refused(() => hand.patient([{ kind: "bend" }]), /"bend" is not a change/);
  refused(() => hand.index("muscle", "FDP9"), /no muscle "FDP9"/);
  refused(() => hand.patient().hold([0]), /finite numbers, one for each coordinate/);
  await assert.rejects(core.add(new TextEncoder().encode("x".repeat(2000))), /not a packed model/);
  await assert.rejects(core.add(new Uint8Array([0x1f, 0x8b, 8, 0])), /damaged/);
  hand.close();
  refused(() => hand.count("body"), /closed already/);
});

test("a state: activations set by hand move the hand, a bad one is refused by name", async () => {
  const core = await load();
  await core.add(pack("hand"));
  const hand = core.model("hand");
  const state = hand.state();
  const flexor = hand.index("muscle", "FDP2");
  const knuckle = hand.names("coordinate").findIndex((n) => n.startsWith("pip2."));
  const before = state.field("joint.coordinate")[knuckle];
  state.field("muscle.activation")[flexor] = 0.3;
  state.step(50);
  assert.ok(Math.abs(state.time - 50 * hand.stepSize) < 1e-9);
  assert.ok(state.field("joint.coordinate")[knuckle] > before + 0.05, "the flexor bends the finger");
  state.set("muscle.activation", 2);
  assert.throws(() => state.step(), /activation/);
  state.reset();
  assert.equal(state.time, 0);
  assert.throws(() => state.field("muscle.mood"), SinewError);
  state.close();
});

test("holding a pose: who works, and that a cut nerve drives nothing", async () => {
  const core = await load();
  await core.add(pack("hand-clinical"));
  const hand = core.model("hand-clinical");
  const pose = new Float64Array(hand.count("coordinate"));
  const extensor = hand.index("muscle", "ED2");
  const healthy = hand.patient().hold(pose);
  assert.equal(healthy.verdict, "yes");
  assert.ok(healthy.activation[extensor] > 0 && healthy.force.length === hand.count("line"));
  const cut = hand.patient([{ kind: "nerve", name: "radial" }]).hold(pose);
  assert.equal(cut.activation[extensor], 0);
  assert.ok(cut.unmet > healthy.unmet, "fingers cannot be held straight without their extensors");
});

test("the package is one that npm takes", () => {
  const listed = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--offline", PACKAGE], { encoding: "utf8", cwd: scratch, stdio: ["ignore", "pipe", "ignore"] }));
  const files = listed[0].files.map((f) => f.path);
  for (const name of ["sinew.mjs", "wasi.mjs", "sinew.d.mts", "sinew.wasm", "hand-clinical.tar.gz", "package.json"]) assert.ok(files.includes(name), name);
  assert.ok(listed[0].size < 1_000_000, `${listed[0].size} bytes`);
  console.log(`npm package: ${listed[0].size} bytes`);
});
