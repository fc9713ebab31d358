/**
 * A value between two gaps has no line, so it is drawn as a point.
 * @param {(number | null)[]} values
 * @returns {number[]} where they are
 */
export function lonely(values) {
  const there = (at) => values[at] !== null && values[at] !== undefined;
  return [...values.keys()].filter((at) => there(at) && !there(at - 1) && !there(at + 1));
}
