// What the tests of the page share: reports made by the real program, a browser without a network, and checks that
// hold for every report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , program, packages, source, chromiumPath] = process.argv;
export const skipped = (name, reason) => {
  console.log(`skipped: ${name}: ${reason}`);
  process.exit(0);
};
export const test_name = process.argv[6];
if (!existsSync(join(packages, "node_modules")))
  skipped(test_name, "gersh was built without Node.js, so there is no page to look at");
if (!chromiumPath || !existsSync(chromiumPath)) skipped(test_name, "there is no chromium (Debian: chromium)");

const need = createRequire(join(packages, "package.json"));
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

export const folder = mkdtempSync(join(tmpdir(), "gersh-report-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
export const file = (name) => join(folder, name);
export const inSource = (name) => join(source, name);
export const gersh = (...words) => execFileSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 });
export const inspect = (model, ...more) => JSON.parse(gersh("inspect", model, "--json", ...more));

export const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });

// A page of its own, with everything that it complains of or asks for.
export async function open(html, { width = 1440, height = 900, theme = "light", ...more } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    acceptDownloads: true,
    reducedMotion: "reduce",
    ...more,
  });
  context.setDefaultTimeout(300000); // machines may be busy
  const page = await context.newPage();
  const url = pathToFileURL(html).href;
  page.problems = [];
  page.on(
    "console",
    (message) => ["error", "warning"].includes(message.type()) && page.problems.push(`console: ${message.text()}`),
  );
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on(
    "request",
    (request) =>
      request.url() !== url && !/^(blob|data):/.test(request.url()) && page.problems.push(`request: ${request.url()}`),
  );
  page.on("dialog", (dialog) => {
    page.problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  // Seconds of the processor that the page's thread took: the same on a busy machine.
  page.processor = async () =>
    (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
  await context.setOffline(true);
  await page.goto(url);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  if (more.reducedMotion === undefined) await rest(page);
  return page;
}

// Until the layout of the graph moves no more.
export const rest = (page) =>
  page.waitForFunction(() => document.querySelector("#graph canvas").dataset.layout === "rest");

// The data of the page are those of `gersh inspect --json`, and the page shows them.
export async function sameNumbers(page, model) {
  const own = await page.evaluate(() => JSON.parse(document.getElementById("model").textContent));
  for (const key of Object.keys(model)) {
    if (
      // A page by the fit is certified by it, where a file states.
      ["verification", "scalars", "bootstrap", "standing", "certainty"].includes(key) ||
      (key === "edge_list" && own.edge_list.length < model.edges)
    )
      continue;
    assert.deepEqual(own[key], model[key], `the page and inspect differ in ${key}`);
  }
  if (model.scalars) assert.deepEqual(own.discs.scalar, model.scalars);
  if (model.bootstrap) assert.deepEqual({ ...own.bootstrap, edges: 0 }, { ...model.bootstrap, edges: 0 });
  const shown = await page.$$eval("#summary data", (list) => list.map((d) => +d.value));
  for (const key of ["objective_value", "bound", "gap", "edges"])
    if (model[key] !== null) assert.ok(shown.includes(model[key]), `the summary does not show ${key}`);
  const discs = await page.$$eval("#discs data", (list) => list.map((d) => +d.value));
  assert.ok(discs.includes(model.lambda_min), "the discs do not show the smallest eigenvalue");
  const rows = await page.$$eval("#features tbody tr", (list) =>
    list.map((row) => [+row.dataset.feature, +row.querySelector("data").value]),
  );
  assert.equal(rows.length, Math.min(model.features, 30));
  for (const [i, weight] of rows) assert.equal(weight, model.diagonal[i]);
  const text = await page.textContent("#summary .cards");
  assert.ok(
    text.replaceAll(",", "").includes(`${model.n} rows`) &&
      text.replaceAll(",", "").includes(`${model.features} features`),
  );
}

// Colours that a canvas shows: more than its background.
const inks = (page, selector) =>
  page.$eval(selector, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height),
      seen = new Set();
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] > 128) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return seen.size;
  });

export async function allDrawn(page, { points, balanced = true }) {
  for (const id of ["summary", "graph", "discs", "matrix", "convergence", "space", "distances", "features", "repeat"])
    assert.ok((await page.textContent(`section#${id}`)).length > 60, `section ${id} says nothing`);
  assert.ok((await inks(page, "#graph canvas")) > 3, "the graph is blank");
  assert.ok((await inks(page, "#matrix canvas")) > 3, "the matrix is blank");
  const number = (selector) => page.locator(selector).count();
  assert.ok((await number("#discs .disc")) >= (balanced ? 2 : 1));
  for (const name of ["value", "bound", "atoms"]) assert.equal(await number(`#convergence path.${name}`), 2);
  assert.equal(await number("#space .points path"), 2 * points);
  assert.ok((await number("#distances rect.near")) > 2 && (await number("#distances path.far")) === 2);
  assert.match(await page.textContent("#command"), /^gersh fit /);
  assert.equal(
    await page.evaluate(() => /NaN|undefined|\[object/.test(document.querySelector("main").innerText)),
    false,
    "the page says NaN, undefined or [object",
  );
  assert.equal(
    await page.evaluate(() =>
      [...document.querySelectorAll("svg *")].some((e) => [...e.attributes].some((a) => a.value.includes("NaN"))),
    ),
    false,
    "a figure has NaN in it",
  );
}

// What sticks out on the right, but for what scrolls by itself.
export async function fits(html) {
  for (const width of [360, 768, 1440]) {
    const page = await open(html, { width });
    const out = await page.evaluate(() => {
      const scrolls = (e) =>
        e && (/(auto|scroll|hidden)/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
      const bad = [...document.querySelectorAll("body *")].filter((e) => {
        const box = e.getBoundingClientRect();
        return (
          box.width > 0 &&
          (box.right > innerWidth + 1 || box.left < -1) &&
          !e.closest("#tip, .skip") &&
          !scrolls(e.parentElement)
        );
      });
      return {
        bad: bad.map((e) => `${e.tagName}.${e.className?.baseVal ?? e.className}: ${e.textContent.slice(0, 40)}`),
        wide: document.documentElement.scrollWidth - innerWidth,
      };
    });
    assert.deepEqual(out, { bad: [], wide: 0 }, `at ${width} px`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
}

// axe-core comes in through the debugger, as the page's policy lets no foreign script in.
export async function accessible(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const bad = result.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(
    bad.map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.html.slice(0, 120))
          .join(" | ")}`,
    ),
    [],
  );
}

export async function download(page, click) {
  const [got] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: got.suggestedFilename(), text: readFileSync(await got.path(), "utf8") };
}

// A downloaded figure: parsed as XML, with something drawn.
export async function goodSvg(page, text) {
  const made = await page.evaluate((xml) => {
    const parsed = new DOMParser().parseFromString(xml, "image/svg+xml");
    return {
      root: parsed.documentElement.tagName,
      error: parsed.querySelector("parsererror") !== null,
      shapes: parsed.querySelectorAll("path, circle, ellipse, rect").length,
      scripts: parsed.querySelectorAll("script, foreignObject, image").length,
    };
  }, text);
  assert.equal(made.root, "svg");
  assert.ok(!made.error && made.shapes > 3 && made.scripts === 0, JSON.stringify(made));
}
