// Puts the page together: the head, then one section after the other.
import { convergence } from "./convergence.js";
import { discs } from "./discs.js";
import { distances } from "./distances.js";
import { h } from "./dom.js";
import { table } from "./features.js";
import { redrawAll } from "./figure.js";
import { graph } from "./graph.js";
import { matrix } from "./matrix.js";
import { model, rows } from "./model.js";
import { repeat } from "./repeat.js";
import { space } from "./space.js";
import { summary } from "./summary.js";

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = null; // by the reader, instead of the system's

function setTheme(theme) {
  root.dataset.theme = theme ?? chosen ?? (system.matches ? "dark" : "light");
  redrawAll();
}

function head() {
  const links = [
    ["summary", "Summary"],
    ["graph", "Graph"],
    ["discs", "Discs"],
    ["matrix", "Matrix"],
    ["convergence", "Convergence"],
    ["space", "Space"],
    ["distances", "Distances"],
    ["features", "Features"],
    ["repeat", "Repeat"],
  ];
  document.getElementById("top").append(
    h("strong", {}, "gersh"),
    h(
      "nav",
      { "aria-label": "Sections" },
      links.map(([id, text]) => h("a", { href: `#${id}` }, text)),
    ),
    h(
      "button",
      {
        type: "button",
        id: "theme",
        "aria-label": "Switch between light and dark",
        title: "Light or dark",
        onclick: () => {
          chosen = root.dataset.theme === "dark" ? "light" : "dark";
          setTheme();
        },
      },
      "◐",
    ),
  );
  document
    .getElementById("foot")
    .append(
      "Made by gersh, metric learning with signed graphs. This file is complete: it asks nothing of any network.",
    );
  const title = (rows?.own && rows.name) || model.name;
  if (title) document.title = `gersh: ${title.slice(0, 120)}`;
}

setTheme();
system.addEventListener("change", () => setTheme());
addEventListener("beforeprint", () => setTheme("light"));
addEventListener("afterprint", () => setTheme());
head();
for (const part of [summary, graph, discs, matrix, convergence, space, distances, table, repeat]) part();
root.dataset.ready = String(Math.round(performance.now()));
