// Builds the page into one HTML file: script and style inlined, their hashes in the content policy, and an empty slot
// for the data that `sinew export --to html` fills and that the server leaves empty.
// usage: node build.mjs OUT_DIR [MODULES_DIR]
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../build/studio"));
const modules = resolve(process.argv[3] ?? join(here, "node_modules"));
const { build } = createRequire(join(modules, "x.js"))("esbuild");

const bundled = new Set(); // names of the packages that end up in the page

async function bundle(entry, loader, define = {}) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    nodePaths: [modules],
    legalComments: "eof",
    metafile: true,
    charset: "utf8",
    define,
    external: ["node:*"],
    loader,
    logLevel: "warning",
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const inside = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (inside) bundled.add(inside[1]);
  }
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

// The worker is a text inside the script: a page that is one file has no other place for it. It is given its module.
const worker = await bundle("worker.ts", {}, { "import.meta.url": '"about:blank"' });
const script = await bundle("main.ts", {}, { WORKER_SOURCE: JSON.stringify(worker) });
const style = await bundle("style.css", { ".css": "css" });
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");

const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} 'wasm-unsafe-eval'`,
  "worker-src blob:",
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src 'self' ws://127.0.0.1:* ws://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = readFileSync(join(here, "src/index.html"), "utf8")
  .replace("%POLICY%", () => policy)
  .replace("%STYLE%", () => style)
  .replace("%SCRIPT%", () => script);
mkdirSync(out, { recursive: true });
const file = join(out, "studio.html");
writeFileSync(file + ".part", page);
renameSync(file + ".part", file);
// What NOTICE must name.
const licences = [...bundled].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
  return { name, version, license };
});
writeFileSync(join(out, "bundled.json"), JSON.stringify(licences) + "\n");
console.log(`${file}: ${(page.length / 1024).toFixed(0)} kB`);
