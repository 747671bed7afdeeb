// The page of a fit to wdbc, looked at and used, and one of names that try to break it.
import assert from "node:assert/strict";
import { copyFileSync, statSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import {
  accessible,
  allDrawn,
  browser,
  download,
  file,
  fits,
  gersh,
  goodSvg,
  inspect,
  inSource,
  open,
  rest,
  sameNumbers,
} from "./support.mjs";

after(() => browser.close());

const html = file("wdbc.html");
gersh(
  "fit",
  inSource("data/wdbc.csv"),
  "--label",
  "diagnosis",
  "--bootstrap",
  "10",
  "-o",
  "wdbc.gersh",
  "--report",
  html,
);
const model = inspect("wdbc.gersh", "--scalars");
const page = await open(html);
const box = async (selector) => await page.locator(selector).boundingBox();
const tip = () => page.textContent("#tip");

test("every section of wdbc is drawn, with the numbers of inspect", async () => {
  await allDrawn(page, { points: model.n });
  await sameNumbers(page, model);
  assert.match(await page.textContent("#summary h1"), /learned from wdbc\.csv/);
  assert.match(await page.textContent("#command"), /^gersh fit wdbc\.csv --label=diagnosis --bootstrap=10 /);
  assert.ok(statSync(html).size < 600e3, "the file is too large");
});

test("the accuracy is that of gersh evaluate", async () => {
  const { rows } = JSON.parse(gersh("evaluate", inSource("data/wdbc.csv"), "--label", "diagnosis", "--json"));
  const shown = await page.$$eval("#summary data", (list) => list.map((d) => +d.value));
  for (const row of rows)
    assert.ok(
      shown.some((value) => Math.abs(value - row.accuracy_mean) < 1e-5),
      row.objective,
    );
});

test("nothing sticks out on a phone, a tablet or a screen", () => fits(html));

test("axe-core finds nothing serious, light and dark", async () => {
  for (const theme of ["light", "dark"]) {
    const own = await open(html, { theme });
    assert.equal(await own.evaluate(() => document.documentElement.dataset.theme), theme);
    await accessible(own);
    await own.context().close();
  }
});

// A feature that was searched for is in the middle of the picture.
async function focus(name) {
  await page.fill("#graph-search", name);
  await page.press("#graph-search", "Enter");
  await rest(page);
  await page.locator("#graph canvas").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await box("#graph canvas");
  return [x + width / 2, y + height / 2];
}

test("search focuses on a feature and its neighbours", async () => {
  const i = model.feature_names.indexOf("worst radius");
  const [x, y] = await focus("worst rad");
  assert.equal(await page.getAttribute("#graph canvas", "data-focus"), String(i));
  assert.equal(
    await page.getAttribute("#graph canvas", "data-near"),
    String(model.edge_list.filter((e) => e.first === i || e.second === i).length),
  );
  await page.mouse.move(x, y);
  assert.match(await tip(), new RegExp(`worst radius.*weight ${+model.diagonal[i].toPrecision(6)}`));
  await page.mouse.click(x, y);
  assert.equal(await page.getAttribute("#graph canvas", "data-focus"), "");
  await page.mouse.click(x, y);
  assert.equal(await page.getAttribute("#graph canvas", "data-focus"), String(i));
  await page.fill("#graph-search", "no such name");
  assert.match(await page.textContent("#graph .hits"), /no feature/);
});

test("a feature can be dragged, and stays there", async () => {
  const [x, y] = await focus("mean texture");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 30, { steps: 4 });
  await page.mouse.move(x + 120, y + 90, { steps: 4 });
  await page.mouse.up();
  await page.mouse.move(x + 121, y + 90);
  assert.match(await tip(), /mean texture/);
});

test("edges show their numbers and their frequency", async () => {
  const e = model.edge_list.find((edge) => model.feature_names[edge.first] === "mean texture");
  const [x, y] = await focus("mean texture");
  let found = "";
  for (let angle = 0; angle < 360 && !found; angle += 4) {
    await page.mouse.move(x + 32 * Math.cos((angle * Math.PI) / 180), y + 32 * Math.sin((angle * Math.PI) / 180));
    found = (await tip()).startsWith(`mean texture${model.feature_names[e.second]}`) ? await tip() : "";
  }
  assert.ok(found.includes(`${e.weight < 0 ? "negative edge of weight −" : "positive edge of weight "}${+Math.abs(e.weight).toPrecision(6)}`), found);
  assert.ok(found.includes(`M_ij/√(M_ii M_jj) ${+e.normalized.toPrecision(6)}`), found);
  assert.ok(found.includes(`correlation of the data ${+e.correlation.toPrecision(4)}`), found);
  assert.ok(found.includes(`${Math.round(100 * e.frequency)}\u00a0% of 10 resamples`), found);
});

test("the slider hides the weaker edges and says how many", async () => {
  const slider = page.locator("#edges-shown");
  await slider.evaluate((input) => {
    input.value = 100;
    input.dispatchEvent(new Event("input"));
  });
  const shown = +(await page.getAttribute("#graph canvas", "data-edges"));
  assert.ok(shown > 0 && shown < model.edges);
  const threshold = model.edge_list.map((e) => Math.abs(e.weight)).sort((a, b) => b - a)[shown - 1];
  assert.match(
    await page.textContent("#graph-state"),
    new RegExp(
      `the ${shown} strongest of ${model.edges} edges.*at least ${+threshold.toPrecision(6)}.*${model.edges - shown} edge`,
    ),
  );
  await slider.evaluate((input) => {
    input.value = input.max;
    input.dispatchEvent(new Event("input"));
  });
  assert.equal(await page.getAttribute("#graph canvas", "data-edges"), String(model.edges));
  await page.check("#lonely");
  assert.equal(await page.getAttribute("#graph canvas", "data-nodes"), String(model.features));
  await page.uncheck("#lonely");
});

test("zoom by the buttons and by the wheel with Ctrl", async () => {
  const zoom = async () => {
    await page.waitForTimeout(50);
    return +(await page.getAttribute("#graph canvas", "data-zoom"));
  };
  await page.click("[aria-label='Show everything']");
  const first = await zoom();
  await page.click("[aria-label='Zoom in']");
  const second = await zoom();
  assert.ok(second > 1.2 * first);
  const { x, y } = await box("#graph canvas");
  await page.mouse.move(x + 40, y + 200);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, 200);
  await page.keyboard.up("Control");
  assert.ok((await zoom()) < second);
});

test("the matrix switches between M and M_ij/√(M_ii M_jj)", async () => {
  const picture = () => page.$eval("#matrix canvas", (canvas) => canvas.toDataURL());
  const before = await picture();
  await page.click("#matrix button:has-text('M_ij/√(M_ii M_jj)')");
  assert.equal(await page.getAttribute("#matrix canvas", "data-form"), "normalized");
  assert.notEqual(await picture(), before);
  await page.locator("#matrix canvas").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await box("#matrix canvas");
  const heaviest = model.diagonal
    .map((w, i) => [w, i])
    .filter(([, i]) => model.colors[i] > 0)
    .sort((a, b) => b[0] - a[0])[0][1];
  const side = await page.evaluate(() => document.querySelector("#matrix canvas").clientWidth);
  for (let at = 0; at < side / 2; at += 4) {
    await page.mouse.move(x + at, y + at);
    if (await page.evaluate(() => !document.getElementById("tip").hidden)) break;
  }
  assert.ok((await tip()).startsWith(model.feature_names[heaviest]), "blue features come first, by weight");
  assert.ok(width <= 1160 && height > 0);
});

test("the rows show their neighbours on hover", async () => {
  const rows = await page.evaluate(() => JSON.parse(document.getElementById("rows").textContent));
  const dot = page.locator("#figure-learned-space .points path").first();
  await dot.scrollIntoViewIfNeeded();
  const at = await dot.boundingBox();
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  const [, row, nearest] = (await tip()).match(/row (\d+): \w+nearest: row (\d+)/);
  const i = rows.space.row.indexOf(+row);
  assert.equal(rows.space.row[rows.space.learned.neighbor[i]], +nearest);
});

test("the table sorts by any heading", async () => {
  const column = (n) =>
    page.$$eval("#features tbody tr", (list, at) => list.map((row) => row.children[at].textContent), n);
  await page.click("#features th >> text=feature");
  assert.deepEqual(
    await column(0),
    [...model.feature_names].sort((a, b) => a.localeCompare(b)),
  );
  assert.equal(await page.getAttribute("#features th:nth-child(1)", "aria-sort"), "ascending");
  await page.click("#features th >> text=M_ii");
  await page.click("#features th >> text=M_ii");
  const weights = await page.$$eval("#features tbody tr", (list) =>
    list.map((row) => +row.querySelector("data").value),
  );
  assert.deepEqual(
    weights,
    [...model.diagonal].sort((a, b) => a - b),
  );
  const name = await page.locator("#features tbody tr >> nth=29 >> button").textContent();
  await page.click("#features tbody tr >> nth=29 >> button");
  assert.equal(await page.getAttribute("#graph canvas", "data-focus"), String(model.feature_names.indexOf(name)));
});

test("the theme switches, and figures with it", async () => {
  const colors = () =>
    page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      document.querySelector("#discs ellipse").getAttribute("fill"),
      getComputedStyle(document.documentElement).colorScheme,
    ]);
  const light = await colors();
  await page.click("#theme");
  const dark = await colors();
  light.forEach((color, at) => assert.notEqual(color, dark[at]));
  await page.click("#theme");
  assert.deepEqual(await colors(), light);
});

test("every figure can be downloaded as SVG, the table as CSV", async () => {
  const buttons = page.locator("figure .end");
  const names = new Set();
  for (let at = 0; at < (await buttons.count()); at++) {
    const got = await download(page, () => buttons.nth(at).click());
    names.add(got.name);
    await goodSvg(page, got.text);
  }
  assert.equal(names.size, 9, [...names].join());
  const csv = await download(page, () => page.click("#features-csv"));
  assert.equal(csv.name, "features.csv");
  const lines = csv.text
    .trimEnd()
    .split("\n")
    .map((text) => text.split(","));
  assert.equal(lines.length, model.features + 1);
  const sum = model.importance.contribution.reduce((all, c) => all + c, 0);
  assert.deepEqual(lines[0].slice(0, 3), ["feature", "importance", "M_ii"]);
  for (const [name, importance, weight] of lines.slice(1)) {
    const i = model.feature_names.indexOf(name);
    assert.equal(+weight, model.diagonal[i]);
    assert.ok(Math.abs(+importance - model.importance.contribution[i] / sum) < 1e-12);
  }
});

test("an XOR of two features is ranked by permutation, and said to be one", async () => {
  const side = (i, at) => ((i >> at) & 1 ? 1 : -1);
  const rows = Array.from({ length: 160 }, (_, i) =>
    [Math.sin(7 * i), side(i, 0) + 0.2 * Math.sin(11 * i), Math.sin(13 * i), side(i, 1) + 0.2 * Math.sin(17 * i)]
      .concat(side(i, 0) * side(i, 1) > 0 ? "even" : "odd")
      .join(","),
  );
  writeFileSync(file("xor.csv"), ["a,left,b,right,label", ...rows].join("\n") + "\n");
  gersh("fit", "xor.csv", "--label", "label", "-o", "xor.gersh", "--report", "xor.html");
  const own = await open(file("xor.html"));
  const first = await own.$$eval("#features tbody tr", (list) => list.slice(0, 2).map((row) => row.dataset.feature));
  assert.deepEqual(new Set(first), new Set(["1", "3"]));
  const heads = await own.$$eval("#features th", (list) => list.map((head) => head.textContent));
  assert.deepEqual(heads.slice(0, 4), ["feature", "contribution", "permutation", "M_ii"]);
  for (const place of ["#summary", "#features"])
    assert.match(await own.textContent(place), /hardly tell classes apart here.*on held-out samples, .* loses/);
  assert.deepEqual(own.problems, []);
  await own.context().close();
});

test("the command can be copied, and repeats the fit", async () => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#copy");
  await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied");
  const words = (await page.textContent("#command")).split(" ");
  copyFileSync(inSource("data/wdbc.csv"), file("wdbc.csv"));
  gersh(...words.slice(1));
  assert.equal(inspect("model.gersh").objective_value, model.objective_value);
});

test("printing is in light colours, with all that the screen hides behind buttons", async () => {
  const own = await open(html, { theme: "dark" });
  await own.pdf({ path: file("wdbc.pdf") });
  assert.ok(statSync(file("wdbc.pdf")).size > 50e3);
  await own.emulateMedia({ media: "print" });
  assert.equal(await own.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await own.evaluate(() => getComputedStyle(document.getElementById("top")).display), "none");
  await own.context().close();
});

const hostile = [
  "<script>window.hacked=1</script>",
  "</script><script>window.hacked=1</script>",
  '"><img src=x onerror="window.hacked=1">',
  "<!--<script>",
  "a'b\"c`d",
  "&lt;b&gt; &amp;",
  "\u202egnp.exe \u05e2\u05d1\u05e8\u05d9\u05ea \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
  "👩‍👩‍👧‍👦 🧬 \u2028 line",
  "__proto__",
  "constructor",
  "{{script}}",
  "=1+1",
  "x".repeat(10000),
  "${window.hacked=1}",
];

/* What sets the direction of text, and ends of lines, are shown as escapes. */
const shown = (text) =>
  text.replace(/[\u2028-\u202e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase()}`);

test("names that are scripts, quotes, RTL, emoji or very long are shown as text", async () => {
  const cell = (text) => `"${text.replaceAll('"', '""')}"`;
  const labels = ["<svg onload=window.hacked=1>", "'\"&\u202eb"];
  const rows = Array.from({ length: 60 }, (_, i) =>
    [...hostile.map((_, j) => Math.sin(1 + i * (j + 2)) + (j < 5 ? (i % 2) * (j - 1.5) : 0)), cell(labels[i % 2])].join(
      ",",
    ),
  );
  const csv = file("<img src=x onerror=window.hacked=1>.csv");
  writeFileSync(csv, [[...hostile.map(cell), "label"].join(","), ...rows].join("\n") + "\n");
  gersh("fit", csv, "--label", "label", "-o", "h.gersh", "--report", "h.html");
  const own = await open(file("h.html"));
  await allDrawn(own, { points: 60 });
  const stated = inspect("h.gersh");
  for (const key of ["feature_names", "class_names"]) stated[key] = stated[key].map(shown);
  await sameNumbers(own, stated);
  const names = await own.$$eval("#features tbody tr", (list) =>
    list.map((row) => [+row.dataset.feature, row.querySelector("td bdi").textContent]),
  );
  assert.equal(names.length, hostile.length);
  for (const [i, text] of names) assert.equal(text, shown(hostile[i]));
  const legend = await own.$$eval("#space .legend bdi", (list) => list.map((e) => e.textContent));
  assert.deepEqual(new Set(legend), new Set(labels.map(shown)));
  assert.match(await own.textContent("h1"), /<img src=x onerror=window\.hacked=1>\.csv/);
  for (const name of ["gershgorin-discs", "matrix", "feature-graph"])
    await goodSvg(own, (await download(own, () => own.click(`#figure-${name} .end`))).text);
  await own.hover("#features tbody tr >> nth=0");
  await own.fill("#graph-search", "script");
  await own.press("#graph-search", "Enter");
  assert.equal(await own.evaluate(() => window.hacked), undefined);
  assert.deepEqual(
    await own.evaluate(() => [
      document.scripts.length,
      document.images.length,
      document.querySelectorAll("main script").length,
    ]),
    [3, 0, 0],
  );
  assert.deepEqual(own.problems, []);
  await own.context().close();
  await fits(file("h.html"));
});

test("nothing was logged and nothing was asked for", () => assert.deepEqual(page.problems, []));
