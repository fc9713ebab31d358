/** Questions to the spans of a capture: what was at a moment, until when, who held meanwhile. */

const STALLED = ["stalled", "preempted"];

/**
 * @param {{length: number, [at: number]: number}} sorted
 * @param {number} value
 * @returns {number} index of the last that is not above it, 0 at least
 */
export function last(sorted, value) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @returns {number} index of the first that is above it */
export const first = (sorted, value) => (sorted.length && sorted[0] > value ? 0 : last(sorted, value) + 1);

/** @returns {number} when the span ends */
export const end = (capture, row, at) => (at + 1 < row.from.length ? row.from[at + 1] : capture.length);

/** @returns {boolean} whether the thread waits for the GVL in it */
export const stalled = (capture, row, at) => STALLED.includes(capture.states[row.state[at]]);

/**
 * @param {import("./data.js").Capture} capture
 * @param {import("./data.js").Row} row
 * @param {number} at of a span in which the thread waits
 * @typedef {{by: number, unit: number, method: number, ns: number, from: number}} Hold
 * @returns {{held: Hold[], handoff: number}} the longest holds first
 */
export function waitedFor(capture, row, at) {
  const from = row.from[at];
  const to = end(capture, row, at);
  const sums = new Map();
  const gvl = capture.rows.find((one) => one.kind === "holder" && one.gvl === row.gvl);
  let handoff = to - from;
  for (
    let span = gvl ? last(gvl.from, from) : Infinity;
    span < gvl?.from.length && gvl.from[span] < to;
    span++
  ) {
    const begin = Math.max(from, gvl.from[span]);
    const ns = Math.min(to, end(capture, gvl, span)) - begin;
    if (capture.states[gvl.state[span]] !== "running" || ns <= 0) continue;
    const key = `${gvl.by[span]} ${gvl.unit[span]} ${gvl.method[span]}`;
    const known = sums.get(key);
    if (known) known.ns += ns;
    else sums.set(key, { by: gvl.by[span], unit: gvl.unit[span], method: gvl.method[span], ns, from: begin });
    handoff -= ns;
  }
  return { held: [...sums.values()].sort((one, other) => other.ns - one.ns), handoff };
}

/**
 * @param {number} step 1 or -1
 * @returns {number | undefined} the next span in which the row's thread waits
 */
export function nextStall(capture, row, at, step) {
  for (let next = at + step; next >= 0 && next < row.from.length; next += step)
    if (stalled(capture, row, next)) return next;
}

/** @returns {number | undefined} when the row's longest wait between two moments begins */
export function longestStall(capture, row, from, to) {
  let longest = 0;
  let found;
  for (let at = last(row.from, from); at < row.from.length && row.from[at] < to; at++) {
    const ns = stalled(capture, row, at) ? end(capture, row, at) - row.from[at] : 0;
    if (ns > longest) [longest, found] = [ns, row.from[at]];
  }
  return found;
}
