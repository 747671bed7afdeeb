// Sections, and figures that redraw themselves when the width or the theme changes and can be downloaded as SVG.
import { download, h, palette, s } from "./dom.js";

const figures = new Set();
const font = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export function section(id, heading, ...sentence) {
  const body = h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, heading));
  if (sentence.length > 0) body.append(h("p", { class: "what" }, ...sentence));
  document.getElementById("main").append(body);
  return body;
}

// An empty drawing in the colours of the page.
export function drawing(width, height, label, colors) {
  return s("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": label,
    "font-family": font,
    "font-size": 12,
    fill: colors.ink,
  });
}

export function saveSvg(file, svg, colors) {
  const copy = svg.cloneNode(true);
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  copy.prepend(s("rect", { width, height, fill: colors.panel }));
  download(file, "image/svg+xml", new XMLSerializer().serializeToString(copy));
}

/*
 * figure(place, file, draw): draw(width, colors) returns an SVG element, or null when it has drawn by itself; then
 * toSvg(colors) makes one for the download.
 */
export function figure(place, { file, tools = [], draw, toSvg, heading }) {
  const plot = h("div", { class: "plot" });
  const save = h(
    "button",
    {
      type: "button",
      class: "end",
      onclick: () => saveSvg(file, toSvg ? toSvg(palette()) : plot.querySelector("svg"), palette()),
      "aria-label": `Download ${file}`,
    },
    "SVG",
  );
  const own = h(
    "figure",
    { id: `figure-${file.replace(".svg", "")}` },
    h("div", { class: "bar-of-tools" }, heading && h("h3", {}, heading), ...tools, save),
    plot,
  );
  place.append(own);
  let width = 0;
  const redraw = () => {
    width = Math.floor(plot.clientWidth);
    if (width === 0) return;
    const svg = draw(width, palette(), plot);
    if (svg) plot.replaceChildren(svg);
  };
  new ResizeObserver(() => Math.floor(plot.clientWidth) !== width && redraw()).observe(plot);
  figures.add(redraw);
  redraw();
  return { plot, redraw };
}

export function redrawAll() {
  for (const redraw of figures) redraw();
}

// Buttons of which one is pressed.
export function choice(label, names, chosen, onchange) {
  const buttons = names.map((text, which) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(which === chosen),
        onclick: () => {
          buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === which)));
          onchange(which);
        },
      },
      text,
    ),
  );
  return h("span", { class: "group", role: "group", "aria-label": label }, buttons);
}
