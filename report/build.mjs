// Makes the page: all scripts in one by esbuild, styles and scripts put into the template, and the whole as a C file
// in two parts, between which gersh writes its data.
// usage: node build.mjs FOLDER   the folder with node_modules; page.c and page.html are written there
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const target = resolve(process.argv[2]);
const source = join(dirname(fileURLToPath(import.meta.url)), "page");
const esbuild = createRequire(join(target, "package.json"))("esbuild");

async function bundle(entry, loader) {
  const result = await esbuild.build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "ascii",
    legalComments: "none",
    nodePaths: [join(target, "node_modules")],
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// Only this script may run, whatever else a page with foreign names in it may come to hold.
const script = await bundle("main.js");
const style = await bundle("style.css");
if (/<\/(script|style)/i.test(script + style)) throw new Error("the page would end its own script or style");
const hash = createHash("sha256").update(script).digest("base64");
const page = readFileSync(join(source, "template.html"), "utf8")
  .replace(
    "{{policy}}",
    () => `default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`,
  )
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);
const parts = page.split("{{data}}\n");
if (parts.length !== 2) throw new Error("the template needs {{data}} once, on a line of its own");

const bytes = (text) => {
  const lines = [];
  const all = Buffer.from(text, "utf8");
  for (let i = 0; i < all.length; i += 32) lines.push("    " + [...all.subarray(i, i + 32)].join(", ") + ",");
  return lines.join("\n");
};
writeFileSync(join(target, "page.html"), page);
writeFileSync(
  join(target, "page.c"),
  `/* Made from report/ by its build.mjs. */
#include "report/page.h"

const unsigned char gersh__page_before[] = {
${bytes(parts[0])}
};
const unsigned char gersh__page_after[] = {
${bytes(parts[1])}
};
const size_t gersh__page_before_size = sizeof gersh__page_before, gersh__page_after_size = sizeof gersh__page_after;
`,
);
