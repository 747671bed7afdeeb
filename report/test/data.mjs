// Pages of fits to the data sets of GERSH_DATA: sonar, and 2,000 features with few edges and with all.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  accessible,
  allDrawn,
  browser,
  file,
  fits,
  gersh,
  inspect,
  open,
  sameNumbers,
  skipped,
  test_name,
} from "./support.mjs";

const data = process.env.GERSH_DATA;
if (!data || !existsSync(join(data, "colon-cancer.csv"))) {
  await browser.close();
  skipped(test_name, "GERSH_DATA does not name the folder with the data sets");
}
after(() => browser.close());

async function whole(name, words, points, balanced = true) {
  gersh("fit", join(data, `${name}.csv`), ...words, "-o", `${name}.gersh`, "--report", `${name}.html`);
  const model = inspect(`${name}.gersh`, ...(balanced ? ["--scalars"] : []));
  const page = await open(file(`${name}.html`));
  await allDrawn(page, { points, balanced });
  await sameNumbers(page, model);
  await accessible(page);
  return { page, model };
}

test("sonar", async () => {
  const { page } = await whole("sonar", [], 208);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await fits(file("sonar.html"));
});

test("2,000 features: ready in less than two seconds, and usable", async () => {
  const { page, model } = await whole("colon-cancer", [], 62);
  assert.equal(model.features, 2000);
  const own = await open(file("colon-cancer.html"));
  const ready = +(await own.getAttribute("html", "data-ready"));
  await own.fill("#graph-search", "x493");
  await own.press("#graph-search", "Enter");
  assert.equal(await own.getAttribute("#graph canvas", "data-focus"), "492");
  const processor = await own.processor();
  console.log(
    `2,000 features: drawn after ${ready} ms; with a first search, ${processor.toFixed(2)} s of the processor`,
  );
  assert.ok(processor > 0 && processor < 2);
  await own.context().close();
  await page.click("text=Show all 2,000 features");
  assert.equal(await page.locator("#features tbody tr").count(), 2000);
  await page.selectOption("#matrix-most", "2000");
  await page.check("#lonely");
  assert.equal(await page.getAttribute("#graph canvas", "data-nodes"), "2000");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await fits(file("colon-cancer.html"));
});

test("2,000 features that are all joined: the strongest 20,000 edges, and how many are hidden", async () => {
  const model = JSON.parse(
    gersh("fit", join(data, "colon-cancer.csv"), "--solver", "psd", "-o", "all.gersh", "--json"),
  );
  gersh("report", "all.gersh", "--splits", "0", "-o", "all.html");
  const page = await open(file("all.html"), { reducedMotion: "no-preference" });
  const ready = +(await page.getAttribute("html", "data-ready"));
  gersh("inspect", "all.gersh", "--matrix", "all.npy", "--quiet");
  const bytes = readFileSync(file("all.npy")),
    k = model.features;
  const matrix = new Float64Array(bytes.buffer.slice(bytes.byteOffset + 128, bytes.byteOffset + bytes.length));
  const above = new Float64Array((k * (k - 1)) / 2);
  for (let i = 0, at = 0; i < k; i++) for (let j = i + 1; j < k; j++) above[at++] = Math.abs(matrix[i * k + j]);
  const own = await page.evaluate(() => JSON.parse(document.getElementById("model").textContent));
  for (const key of ["objective_value", "lambda_min", "trace", "edges", "negative_edges", "atoms"])
    assert.equal(own[key], model[key], key);
  for (const e of own.edge_list)
    assert.ok(Math.abs(e.weight + matrix[e.first * k + e.second]) <= 1e-12 * Math.abs(e.weight));
  const sizes = own.edge_list.map((e) => Math.abs(e.weight));
  assert.equal(sizes.length, 20000);
  assert.ok(Math.abs(Math.min(...sizes) - above.sort()[above.length - 20000]) <= 1e-12 * above.at(-1));
  assert.match(
    await page.textContent("#graph-state"),
    /the 300 strongest of 1,999,000 edges.*Hidden: .* 1,998,700 edges, of which 1,979,000 weaker ones are not in this file/,
  );
  await page.check("#lonely");
  await page.locator("#edges-shown").evaluate((input) => {
    input.value = input.max;
    input.dispatchEvent(new Event("input"));
  });
  assert.equal(await page.getAttribute("#graph canvas", "data-edges"), "20000");
  assert.equal(await page.getAttribute("#graph canvas", "data-nodes"), "2000");
  // How long a frame takes while everything moves, in a browser that draws without a graphics card.
  const frames = await page.evaluate(
    () =>
      new Promise((done) => {
        const times = [];
        const next = (now) => {
          times.push(now);
          times.length < 21 ? requestAnimationFrame(next) : done(times);
        };
        requestAnimationFrame(next);
      }),
  );
  const gaps = frames
    .slice(1)
    .map((t, i) => t - frames[i])
    .sort((a, b) => a - b);
  console.log(
    `2,000 nodes and 20,000 edges: ready after ${ready} ms; a frame takes ${gaps[10].toFixed(0)} ms while all move`,
  );
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
