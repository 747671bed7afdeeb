// What is needed to repeat the run.
import { h, number } from "./dom.js";
import { section } from "./figure.js";
import { model } from "./model.js";

export function repeat() {
  const place = section(
    "repeat",
    "To repeat the run",
    model.command
      ? "This command learns the same metric from the same data; settings that are not named were at their defaults."
      : "The objective of this model is the user's own, which no command knows; the settings are those below.",
    / (TUPLES|EDGES|DATA)\b|=(TUPLES|EDGES)\b/.test(model.command ?? "")
      ? " Words in capitals stand for files whose names the model does not hold."
      : "",
  );
  if (model.command) {
    const code = h("code", { id: "command" }, model.command);
    const button = h(
      "button",
      {
        type: "button",
        id: "copy",
        onclick: () => {
          const range = document.createRange();
          range.selectNodeContents(code);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
          const done = () => {
            button.textContent = "Copied";
            setTimeout(() => (button.textContent = "Copy"), 1500);
          };
          (navigator.clipboard?.writeText(model.command) ?? Promise.reject()).then(
            done,
            () => document.execCommand("copy") && done(),
          );
        },
      },
      "Copy",
    );
    place.append(h("pre", {}, code), h("div", { class: "bar-of-tools" }, button));
  }
  const named = (key) => (model.command ?? "").includes(` --${key}`);
  place.append(
    h(
      "details",
      { open: true },
      h("summary", {}, "All settings"),
      h(
        "ul",
        { class: "settings" },
        Object.entries(model.settings)
          .filter(([, value]) => value !== "")
          .map(([key, value]) =>
            h(
              "li",
              { class: named(key) ? "set" : null },
              h("span", {}, key),
              h("span", {}, h("bdi", { dir: "auto" }, value ?? "(not UTF-8)")),
            ),
          ),
      ),
    ),
    h(
      "p",
      { class: "note" },
      `Fitted by gersh ${model.version}; largest trace allowed ${number(model.budget)}, smallest eigenvalue at least ${number(model.rho)}. This page was made by gersh ${model.made_by}.`,
    ),
  );
}
