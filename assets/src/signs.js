/**
 * Texts for a point of a chart besides its values: changes between it and the next point, marked settings.
 * @param {import("./plot.js").Chart} chart
 * @param {number} at
 * @returns {string[]} labels, each once
 */
export function signs({ x: { values }, marks = [], points = [] }, at) {
  const next = values[at + 1] ?? Infinity;
  const here = [
    ...marks.filter((mark) => mark.at >= values[at] && mark.at < next),
    ...points.filter((point) => point.x === values[at]),
  ];
  return [...new Set(here.map((sign) => sign.label).filter(Boolean))];
}
