import { end } from "./spans.js";

/** Share of a capture for which a thread has the GVL if it is to be seen without requests and jobs. */
const SEEN = 0.05;

/**
 * @param {import("./data.js").Capture} capture
 * @returns {Set<number>} rows of threads that explain little: no request, no job, hardly ever the GVL
 */
export function silent(capture) {
  const running = capture.states.indexOf("running");
  const quiet = (row) =>
    row.kind === "thread" && !row.units.length && held(capture, row, running) < SEEN * capture.length;
  return new Set([...capture.rows.keys()].filter((at) => quiet(capture.rows[at])));
}

function held(capture, row, running) {
  let ns = 0;
  for (let at = 0; at < row.from.length; at++)
    if (row.state[at] === running) ns += end(capture, row, at) - row.from[at];
  return ns;
}
