import { PALETTE, dashes } from "./lines.js";
import { most, scaled, strength } from "./ramp.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * What each line is called, what it looks like and what it says under the cursor, and where that is; of a
 * heat map also its scale.
 * @param {import("./plot.js").Chart} chart
 * @param {(count: number) => string} count in words
 * @returns {{element: HTMLUListElement, show: (where: string, texts: string[]) => void, renew: () => void}}
 */
export function legend(chart, count) {
  const element = Object.assign(document.createElement("ul"), { className: "keys" });
  const values = chart.series.map((series, at) => {
    const item = element.appendChild(document.createElement("li"));
    item.append(...swatch(chart.kind, series, at), ` ${series.label} `);
    return item.appendChild(document.createElement("b"));
  });
  const place = element.appendChild(Object.assign(document.createElement("li"), { className: "where" }));
  const scale = chart.heat && element.appendChild(document.createElement("li"));
  const renew = () => scale?.replaceChildren(...cells(chart.heat, count));
  renew();
  const show = (where, texts) =>
    [...values, place].forEach((value, at) => (value.textContent = [...texts, where][at]));
  return { element, show, renew };
}

/** What cells look like, from one to the most in them. */
function cells({ counts, label }, count) {
  const highest = most(counts);
  const steps = scaled(counts).flatMap((number) => [cell(strength(number, highest)), ` ${count(number)} `]);
  return steps.length ? [`${label} `, ...steps] : [];
}

function cell(opacity) {
  const svg = drawing();
  svg.append(shape("rect", { class: "cell", "fill-opacity": opacity, width: "100%", height: "100%" }));
  return svg;
}

function swatch(kind, series, at) {
  if (kind === "heat") return [];
  return [kind === "stack" ? patch(series.state) : stroke(at)];
}

/** @param {string} state or another look @returns {SVGElement} */
export function patch(state) {
  const svg = drawing();
  svg.append(shape("rect", { class: `s-${state}`, width: "100%", height: "100%" }));
  if (document.getElementById(`p-${state}`))
    svg.append(shape("rect", { fill: `url(#p-${state})`, width: "100%", height: "100%" }));
  return svg;
}

function stroke(at) {
  const svg = drawing();
  svg.append(
    shape("line", {
      class: `l-${PALETTE[at % PALETTE.length]}`,
      x1: 0,
      x2: "100%",
      y1: "50%",
      y2: "50%",
      "stroke-dasharray": dashes(at).join(" "),
    }),
  );
  return svg;
}

const drawing = () => shape("svg", { class: "swatch", "aria-hidden": "true", focusable: "false" });

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}
