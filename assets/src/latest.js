/**
 * The last step over time at which anything was measured: of all lines the same, so that their values belong together.
 * @param {import("./plot.js").Chart} chart
 * @returns {number} -1 where there is none: nothing is last on another axis
 */
export function latest({ kind, x, series }) {
  if (x.unit !== "time") return -1;
  const enough = kind === "heat" ? "every" : "some"; // a step of it without units has no times, but their number
  return x.values.findLastIndex((_, at) => series[enough](({ values }) => (values[at] ?? null) !== null));
}
