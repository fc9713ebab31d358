import { most, strength } from "./ramp.js";
import { colour } from "./theme.js";

/**
 * How values are spread, step by step: a cell for each band of values, stronger the more there are. Its
 * colour is none of a state.
 * @param {import("./plot.js").Chart} chart with heat
 * @returns {import("uplot").Plugin}
 */
export function heat(chart) {
  return { hooks: { drawAxes: [(plot) => draw(plot, chart)] } };
}

function draw(plot, { x: { values: steps }, heat: { upto_ns: bands, counts } }) {
  const { ctx: context, bbox } = plot;
  const width = cellWidth(plot, steps);
  const edges = bands.map((upto) => plot.valToPos(upto, "y", true));
  const highest = most(counts);
  context.save();
  context.beginPath();
  context.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  context.clip();
  context.fillStyle = colour("ink");
  counts.forEach((column, at) =>
    cells(context, column, plot.valToPos(steps[at], "x", true), width, edges, highest),
  );
  context.restore();
}

function cellWidth(plot, steps) {
  if (steps.length < 2) return plot.bbox.width;
  return plot.valToPos(steps[1], "x", true) - plot.valToPos(steps[0], "x", true);
}

function cells(context, column, left, width, edges, highest) {
  const height = edges.length > 1 ? edges[0] - edges[1] : 20;
  column.forEach((count, band) => {
    if (!count) return;
    context.globalAlpha = strength(count, highest);
    context.fillRect(left, edges[band], width, height);
  });
}

/** @param {import("./plot.js").Chart} chart @returns {[number, number]} where its scale begins and ends */
export function reach({ heat: { upto_ns: bands } }) {
  if (bands.length < 2) return [1e5, 1e9];
  return [bands[0] / (bands[1] / bands[0]), bands.at(-1)];
}
