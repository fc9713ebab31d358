/**
 * The last step over time at which anything was measured: one for all lines, so that their values belong
 * together.
 * @param {import("./plot.js").Chart} chart
 * @returns {number} -1 where there is none: nothing is last on another axis
 */
export function latest({ kind, x, series }) {
  if (x.unit !== "time") return -1;
  // A step of a heat map without units has no times, but it has their number.
  const enough = kind === "heat" ? "every" : "some";
  return x.values.findLastIndex((_, at) => series[enough](({ values }) => (values[at] ?? null) !== null));
}
