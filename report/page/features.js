// A table of the features: sorted by any column, downloaded as CSV.
import { count, datum, download, h, name, number, percent, whole } from "./dom.js";
import { section } from "./figure.js";
import { showInGraph } from "./graph.js";
import { blindNote, byImportance, colorName, features, model, other, ranked, rankNote } from "./model.js";

const FIRST = 30;

const partner = (f) => (f.partner !== null ? features[f.partner] : null);
const frequency = (f) => f.edges.find((e) => other(e, f.i) === partner(f))?.frequency;
const columns = [
  {
    key: "feature",
    text: true,
    of: (f) => f.name,
    show: (f) =>
      h(
        "button",
        { type: "button", class: "plain", title: "Show in the graph", onclick: () => showInGraph(f.i) },
        h("span", { class: `mark ${colorName(f.color)}` }),
        name(f.name),
      ),
  },
  ranked.contribution && {
    key: ranked.blind ? "contribution" : "importance",
    kind: "contribution",
    of: (f) => f.contribution,
    show: (f) => percent(f.contribution, 2),
  },
  ranked.permutation && {
    key: "permutation",
    kind: "permutation",
    of: (f) => f.permutation,
    show: (f) => percent(f.permutation, 2),
  },
  { key: "M_ii", kind: "weight", of: (f) => f.weight, show: (f) => datum(f.weight) },
  { key: "share", of: (f) => f.share, show: (f) => percent(f.share, 2) },
  {
    key: "colour",
    text: true,
    of: (f) => (f.color ? colorName(f.color) : ""),
    show: (f) => (f.color ? colorName(f.color) : "none"),
  },
  { key: "edges", of: (f) => f.degree, show: (f) => whole(f.degree) },
  {
    key: "strongest partner",
    text: true,
    of: (f) => partner(f)?.name ?? "",
    show: (f) => (partner(f) ? name(partner(f).name) : "none"),
  },
  {
    key: "sign",
    text: true,
    of: (f) => (f.partner === null ? "" : f.partnerWeight < 0 ? "negative" : "positive"),
    show: (f) => (f.partner === null ? "" : f.partnerWeight < 0 ? "− negative" : "+ positive"),
  },
  {
    key: "edge weight",
    of: (f) => f.partnerWeight ?? 0,
    show: (f) => (f.partner !== null ? datum(f.partnerWeight) : ""),
  },
  model.bootstrap && {
    key: "frequency",
    of: (f) => frequency(f) ?? "",
    show: (f) => (frequency(f) !== undefined ? percent(frequency(f), 0) : ""),
  },
].filter(Boolean);

const cell = (value) => {
  const text = String(value);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export function table() {
  const heavy = byImportance.filter((f) => f.importance > 0.01);
  const place = section(
    "features",
    "Features",
    "Every feature with its importance, its weight M",
    h("sub", {}, "ii"),
    ", and the other that it acts with most. ",
    blindNote(),
    rankNote(),
    ` Here it is more than 1\u00a0% for ${count(heavy.length, "feature")} of ${whole(features.length)}. `,
    ranked.contribution &&
      ranked.permutation &&
      (ranked.blind
        ? "Contributions are shares of the mean squared distance between classes. "
        : "Permutation: what the score on held-out samples loses when the feature is permuted. "),
    "Sort by a heading; click a feature to see it in the graph.",
  );
  let sorted = columns.findIndex((c) => c.kind === ranked.kind),
    down = true,
    all = false;
  const body = h("tbody", {}),
    heads = columns.map((c, at) =>
      h(
        "th",
        { scope: "col", class: c.text ? "text" : null },
        h("button", { type: "button", onclick: () => sort(at) }, c.key),
      ),
    );
  const more = h("button", {
    type: "button",
    class: "screen",
    onclick: () => {
      all = true;
      fill();
    },
  });

  const order = () => {
    const { of, text } = columns[sorted],
      compare = text ? (a, b) => of(a).localeCompare(of(b)) : (a, b) => of(a) - of(b);
    return [...features].sort((a, b) => (down ? -compare(a, b) : compare(a, b)) || a.i - b.i);
  };
  function fill() {
    const list = order(),
      shown = all ? list : list.slice(0, FIRST);
    body.replaceChildren(
      ...shown.map((f) =>
        h(
          "tr",
          { "data-feature": f.i },
          columns.map((c) => h("td", { class: c.text ? "text" : null }, c.show(f))),
        ),
      ),
    );
    more.hidden = shown.length === list.length;
    more.textContent = `Show all ${whole(list.length)} features`;
  }
  function sort(at) {
    down = at === sorted ? !down : !columns[at].text;
    sorted = at;
    heads.forEach((head, other_) =>
      other_ === at
        ? head.setAttribute("aria-sort", down ? "descending" : "ascending")
        : head.removeAttribute("aria-sort"),
    );
    fill();
  }
  const save = () =>
    download(
      "features.csv",
      "text/csv;charset=utf-8",
      [columns.map((c) => c.key), ...order().map((f) => columns.map((c) => c.of(f)))]
        .map((row) => row.map(cell).join(","))
        .join("\n") + "\n",
    );
  place.append(
    h(
      "div",
      { class: "bar-of-tools" },
      h("button", { type: "button", class: "end", id: "features-csv", onclick: save }, "CSV"),
    ),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of the features" },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), body),
    ),
    h("p", {}, more),
  );
  heads[sorted].setAttribute("aria-sort", "descending");
  fill();
  addEventListener("beforeprint", () => {
    if (features.length <= 200 && !all) {
      all = true;
      fill();
    }
  });
}
