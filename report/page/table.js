// A table of features: sorted by any column, its first rows until all are asked for, downloaded as CSV.
import { download, h, whole } from "./dom.js";

const MOST_PRINTED = 200; // rows of a table that is printed whole

const cell = (value) => {
  const text = String(value);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

function save(file, columns, list) {
  const rows = [columns.map((c) => c.key), ...list.map((f) => columns.map((c) => c.of(f)))];
  download(file, "text/csv;charset=utf-8", rows.map((row) => row.map(cell).join(",")).join("\n") + "\n");
}

/*
 * A column has a heading (key), the value of a feature (of), what is shown of it (show), and whether it is text; by: what
 * it is sorted by, where that is not the value. The first `first` rows of the list are shown, in the order of the
 * column with the number `sorted`, the largest first; many: what rows are called.
 */
export function table(place, { columns, list, first, sorted, file, label, many }) {
  let down = true,
    all = false;
  const body = h("tbody", {}),
    heads = columns.map((c, at) =>
      h(
        "th",
        { scope: "col", class: c.text ? "text" : null },
        h("button", { type: "button", onclick: () => sort(at) }, c.key),
      ),
    );
  const showAll = () => {
    all = true;
    fill();
  };
  const more = h("button", { type: "button", class: "screen", onclick: showAll });

  const order = () => {
    const { of, by = of, text } = columns[sorted],
      compare = text ? (a, b) => by(a).localeCompare(by(b)) : (a, b) => by(a) - by(b);
    return [...list].sort((a, b) => (down ? -compare(a, b) : compare(a, b)) || a.i - b.i);
  };
  function fill() {
    const shown = all ? order() : order().slice(0, first);
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
    more.textContent = `Show all ${whole(list.length)} ${many}`;
  }
  function sort(at) {
    down = at === sorted ? !down : !columns[at].text;
    sorted = at;
    heads.forEach((head, other) =>
      other === at
        ? head.setAttribute("aria-sort", down ? "descending" : "ascending")
        : head.removeAttribute("aria-sort"),
    );
    fill();
  }
  const csv = { type: "button", class: "end", id: file.replace(".", "-"), onclick: () => save(file, columns, order()) };
  place.append(
    h("div", { class: "bar-of-tools" }, h("button", csv, "CSV")),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), body),
    ),
    h("p", {}, more),
  );
  heads[sorted].setAttribute("aria-sort", "descending");
  fill();
  addEventListener("beforeprint", () => {
    if (list.length <= MOST_PRINTED && !all) showAll();
  });
}
