// What the tests of the JavaScript package share: the built package, models packed, the command.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { after } from "node:test";

export const BUILD = resolve(process.env.SINEW_BUILD_DIR ?? new URL("../../build", import.meta.url).pathname);
export const PACKAGE = join(BUILD, "js");
export const { load, SinewError, untar, expand } = await import(pathToFileURL(join(PACKAGE, "sinew.mjs")).href);

export const scratch = mkdtempSync(join(tmpdir(), "sinew-js-"));
after(() => rmSync(scratch, { recursive: true }));

/** The command; what it says on both outputs, whatever its exit code. */
export function sinew(...words) {
  try {
    return execFileSync(join(BUILD, "sinew"), words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 26 });
  } catch (error) {
    return error.stdout + error.stderr;
  }
}

/** The folder of a model as a tar archive. */
export function pack(name) {
  return execFileSync("tar", ["cf", "-", "--format=ustar", "-C", join(BUILD, "models"), name], { maxBuffer: 1 << 26 });
}

/** Columns of a .sto by name. */
export function readTable(path) {
  const lines = readFileSync(path, "utf8").split("\n");
  const head = lines.findIndex((line) => line.startsWith("time"));
  const rows = lines.slice(head + 1).filter(Boolean).map((line) => line.split("\t").map(Number));
  return new Map(lines[head].split("\t").map((name, i) => [name, rows.map((row) => row[i])]));
}
