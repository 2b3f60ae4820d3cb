// The module reads XML with a reader of its own in place of expat (js/core/standin). A damaged file must be refused by
// both with the same words at the same line and column, or by neither.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BUILD, load, scratch, sinew } from "./common.mjs";

const NAME = "hand-clinical";
const model = join(BUILD, "models", NAME);
const good = readFileSync(join(model, `${NAME}.muscle.xml`));
const folder = join(scratch, NAME);
mkdirSync(folder);
copyFileSync(join(model, `${NAME}.scene.xml`), join(folder, `${NAME}.scene.xml`));
const core = await load();
await core.addFile(`${NAME}/${NAME}.scene.xml`, readFileSync(join(model, `${NAME}.scene.xml`)));

/** What the command says of a file that it cannot read; empty where it can. */
function native() {
  const { error } = JSON.parse(sinew("info", join(folder, `${NAME}.muscle.xml`), "--json").split("\n")[0]);
  return error?.status === "SN_BAD_FILE" ? `${error.line ?? 0}:${error.column ?? 0} ${error.message} (${error.remedy ?? ""})` : "";
}

async function ours(bytes) {
  await core.addFile(`${NAME}/${NAME}.muscle.xml`, bytes);
  try {
    core.model(NAME).close();
    return "";
  } catch (e) {
    const message = e.message.slice(e.message.indexOf(`${e.line}:${e.column}: `)).replace(/^\d+:\d+: /, "");
    return e.status === "SN_BAD_FILE" ? { line: e.line, column: e.column, message } : "";
  }
}

async function compare(bytes, what) {
  writeFileSync(join(folder, `${NAME}.muscle.xml`), bytes);
  const theirs = native();
  const mine = await ours(bytes);
  if (!theirs || !mine) return assert.equal(mine ? JSON.stringify(mine) : "", theirs, what);
  assert.equal(theirs.split(" ")[0], `${mine.line}:${mine.column}`, `${what}\n${theirs}\n${mine.message}`);
  const said = theirs.slice(theirs.indexOf(" ") + 1).replace(/ \(\)$/, "");
  const bare = (text) => text.replace(/[^a-z0-9]+/gi, " ").trim(); // how place, message and remedy are put together differs
  assert.ok(bare(mine.message).includes(bare(said.split(" (")[0])), `${what}\n${theirs}\n${mine.message}`);
  return true;
}

const text = good.toString();
const put = (at, what) => text.slice(0, at) + what + text.slice(at);
const CASES = {
  "as it is": text,
  "line ends of Windows": text.replaceAll("\n", "\r\n"),
  "a byte order mark": "\ufeff" + text,
  "no declaration": text.slice(text.indexOf("<Muscle")),
  "CDATA between numbers": text.replace("0.2 0.6 0.9", "0.2 <![CDATA[0.6]]> 0.9"),
  "character references": text.replace("0.2 0.6 0.9", "0.2&#32;&#x30;.6 0.9"),
  "comments everywhere": text.replaceAll("\n", "\n<!-- a - b -->"),
  "empty": "",
  "blanks only": "  \n ",
  "not XML": "time,pip2.flexion\n0,0\n",
  "cut in a tag": text.slice(0, 1000),
  "cut in an element": text.slice(0, text.indexOf("0.2 0.6 0.9")),
  "cut in a comment": text.replace("<RigidBody", "<!-- "),
  "two roots": text + "<Muscle/>",
  "text after the root": text + "x",
  "mismatched tags": text.replace("</Stretch>", "</Force>"),
  "an end too many": text.replace("<Muscle", "</Muscle><Muscle"),
  "an attribute twice": text.replace('radius="0.035"', 'radius="0.035" radius="1"'),
  "no blank between attributes": text.replace('" radius="0.035"', '"radius="0.035"'),
  "no quotes": text.replace('radius="0.035"', "radius=0.035"),
  "< in an attribute": text.replace('radius="0.035"', 'radius="<"'),
  "an unknown entity": text.replace("0.2 0.6", "&nbsp; 0.6"),
  "an entity without end": text.replace("0.2 0.6", "&amp 0.6"),
  "a reference to nothing": text.replace("0.2 0.6", "&#0; 0.6"),
  "a document type": text.replace("<Muscle", '<!DOCTYPE x [<!ENTITY a "b">]>\n<Muscle'),
  "-- in a comment": text.replace("<RigidBody", "<!-- a -- b --><RigidBody"),
  "]]> in text": text.replace("0.2 0.6", "]]> 0.6"),
  "a control character": text.replace("0.2 0.6", "\x01 0.6"),
  "a declaration in the middle": text.replace("<RigidBody", '<?xml version="1.0"?><RigidBody'),
  "text where there is none": put(text.indexOf("<RigidBody"), "stray "),
  "a letter among the numbers": text.replace("0.2 0.6 0.9", "0.2 0,6 0.9"),
  "an unknown element": text.replace("<RigidBody", "<Bone"),
  "a number beyond": text.replace("0.2 0.6", "1e999 0.6"),
};

test("cases that one thinks of", async () => {
  const wrong = [];
  for (const [what, content] of Object.entries(CASES)) await compare(Buffer.from(content), what).catch((e) => wrong.push(e.message));
  assert.deepEqual(wrong, []);
  const latin = Buffer.from(text.replace("0.2 0.6", "X 0.6"), "latin1");
  latin[latin.indexOf("X 0.6")] = 0xe9;
  assert.ok(await compare(latin, "not UTF-8"));
});

test("files damaged by chance", async () => {
  let seed = 12345;
  const random = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % n;
  const letters = Buffer.from("<>/\"'=&;! -a0\n\r\x00\x80\xc3?[]", "latin1");
  let refused = 0;
  for (let round = 0; round < 150; round++) {
    const bytes = Buffer.from(good);
    const places = [];
    for (let i = 1 + random(2); i > 0; i--) {
      const at = random(round % 2 ? 3000 : bytes.length);
      bytes[at] = letters[random(letters.length)];
      places.push(`${at}:${bytes[at]}`);
    }
    refused += (await compare(bytes, places.join(" "))) === true;
  }
  console.log(`150 damaged files: ${refused} refused in the same words at the same place, the others taken by both readers`);
  assert.ok(refused > 75);
});
