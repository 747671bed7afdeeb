// Elements, names, numbers and the tooltip. Text reaches the page as text nodes only.
import { format } from "d3-format";

const special = new Set(["class", "for"]);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (special.has(key) || !(key in element) || key.includes("-") || element.namespaceURI.endsWith("svg"))
      element.setAttribute(key, value === true ? "" : value);
    else element[key] = value;
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A name from the data: isolated, so that its direction does not spill over, and cut by the style where it is long.
export const name = (text) => h("bdi", { class: "name", dir: "auto", title: cut(text, 300) }, text);

// Characters as people count them, roughly: by code points.
export function cut(text, most) {
  if (text.length <= most) return text;
  const points = Array.from(text.slice(0, 2 * most + 2));
  return points.length <= most && text.length <= 2 * most + 2 ? text : points.slice(0, most - 1).join("") + "…";
}

const minus = (text) => text.replace("-", "−");
const plain = format(",.6~g");
const small = format(".4~g");

// Six digits, thousands apart; what is very small or large as a power of ten.
export function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "none";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9))
    return minus(small(value)).replace(/e([+−-]?)(\d+)/, (_, sign, power) => `e${sign === "+" ? "" : "−"}${power}`);
  return minus(plain(value));
}
export const percent = (share, digits = 1) => `${minus((100 * share).toFixed(digits))}\u00a0%`;
export const whole = (value) => format(",d")(value);
export const count = (value, one, many = one + "s") => `${whole(value)} ${value === 1 ? one : many}`;
export const seconds = (value) => (value >= 100 ? `${whole(Math.round(value))} s` : `${+value.toPrecision(3)} s`);

// A number with all its digits behind it.
export const datum = (value, text = number(value)) => h("data", { value: String(value) }, text);

export function palette() {
  const style = getComputedStyle(document.documentElement);
  const color = (key) => style.getPropertyValue(`--${key}`).trim();
  const of = {};
  for (const key of [
    "bg",
    "panel",
    "ink",
    "muted",
    "line",
    "soft",
    "accent",
    "blue",
    "red",
    "grey",
    "pos",
    "neg",
    "low",
    "mid",
    "high",
  ])
    of[key] = color(key);
  of.classes = Array.from({ length: 8 }, (_, c) => color(`class${c}`));
  return of;
}

// A colour between two, both as #rrggbb: t from 0 to 1.
export function mix(from, to, t) {
  const part = (hex, at) => parseInt(hex.slice(at, at + 2), 16);
  return `rgb(${[1, 3, 5].map((at) => Math.round(part(from, at) * (1 - t) + part(to, at) * t)).join(",")})`;
}

const tip = document.getElementById("tip");
export function showTip(event, ...content) {
  tip.replaceChildren(...content.flat(9).filter(Boolean));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const at = event.touches?.[0] ?? event;
  const x = at.clientX + 14 + box.width > innerWidth - 8 ? at.clientX - 14 - box.width : at.clientX + 14;
  const y = at.clientY + 14 + box.height > innerHeight - 8 ? at.clientY - 14 - box.height : at.clientY + 14;
  tip.style.transform = `translate(${Math.max(8, x)}px, ${Math.max(8, y)}px)`;
}
export const hideTip = () => (tip.hidden = true);
export const line = (...parts) => h("div", {}, ...parts);
export const title = (text) => h("div", {}, h("b", {}, h("bdi", { class: "clamp", dir: "auto" }, text)));

export function download(file, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
