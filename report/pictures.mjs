// The pictures of docs/images, from a report of data/wdbc.csv; scripts/pictures runs this.
import { join } from "node:path";
import { browser, file, gersh, inSource, open } from "./test/support.mjs";

const folder = inSource("docs/images");
const size = { width: 1200, height: 860 };
const html = file("wdbc.html");
gersh("fit", inSource("data/wdbc.csv"), "--label", "diagnosis", "--report", html, "--quiet");

const summary = await open(html, size);
await summary.screenshot({ path: join(folder, "report-summary.png") });

const graph = await open(html, { ...size, theme: "dark" });
await graph.evaluate(() => document.querySelector("#graph").scrollIntoView());
await graph.screenshot({ path: join(folder, "report-graph.png") });
await browser.close();
