/**
 * A value between two gaps has no line, so it is drawn as a point.
 * @param {(number | null)[]} values
 * @returns {number[]} where they are
 */
export function lonely(values) {
  const there = (at) => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => there(at) && !there(at - 1) && !there(at + 1));
}

/** Whether a chart has one value of x only, as in the first minute. */
export const alone = (chart) => chart.x.values.length === 1;

/** What is shown beside a moment that is alone, in seconds. */
const BESIDE = 60;

/**
 * The scale of a single moment.
 * @param {number} second
 * @returns {[number, number]}
 */
export const around = (second) => [second - BESIDE, second + BESIDE];
