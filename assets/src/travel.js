/**
 * Where the points of a chart over time lead to. The server gives the addresses (data-moment, data-part,
 * data-deaths and other pages of marks); what is added here is their span.
 */

const MINUTE = 60;
/** Pixels around the line of a mark that belong to it. */
const NEAR = 6;

/** @param {number} second since 1970 @returns {string} as the server reads it */
const exact = (second) => new Date(second * 1000).toISOString().replace(/\.\d+Z$/, "Z");

/**
 * @param {string} address
 * @param {Record<string, number>} moments seconds since 1970, by parameter
 * @returns {string} the address with them
 */
export function within(address, moments) {
  const [path, query = ""] = address.split("?");
  const asked = new URLSearchParams(query);
  for (const [name, second] of Object.entries(moments)) asked.set(name, exact(second));
  return `${path}?${asked}`;
}

/** @param {number[]} seconds starts of the steps @param {number} at index @returns the span of that step */
export function step(seconds, at) {
  const length = seconds.length > 1 ? seconds[1] - seconds[0] : MINUTE;
  return { since: seconds[at], until: seconds[at] + length };
}

/** @returns the whole minutes around a part of the axis: no step of the store is shorter */
export const minutes = (from, to) => ({
  since: Math.floor(from / MINUTE) * MINUTE,
  until: Math.max(Math.ceil(to / MINUTE), Math.floor(from / MINUTE) + 1) * MINUTE,
});

/** @returns the span before a mark and the one after it */
export function around(seconds, mark) {
  const { until } = step(seconds, seconds.length - 1);
  return { base_since: seconds[0], base_until: mark.at, since: mark.at, until };
}

/**
 * @param {{x: {values: number[]}, marks?: {at: number, page?: string, around?: boolean}[]}} chart
 * @param {DOMStringMap} places
 * @param {number} at index of the point
 * @param {(second: number) => number} distance in pixels from what was clicked
 * @returns {string} where a click leads to: near the line of a mark to its page, else to the requests there,
 * of whole minutes
 */
export function target(chart, places, at, distance) {
  const seconds = chart.x.values;
  const inside = (mark) =>
    mark.page && mark.at > seconds[0] && mark.at < step(seconds, seconds.length - 1).until;
  const mark = (chart.marks ?? []).find((each) => inside(each) && distance(each.at) <= NEAR);
  if (mark) return ofMark(chart, places, mark);
  const { since, until } = step(seconds, at);
  return within(places.moment, minutes(since, until));
}

/**
 * @param {{x: {values: number[]}}} chart
 * @param {DOMStringMap} places
 * @param {{at: number, page: string, around?: boolean}} mark
 * @returns {string} its page, with the span around the mark or after it
 */
export function ofMark(chart, places, mark) {
  const span = mark.around ? around(chart.x.values, mark) : minutes(mark.at, mark.at + 2 * MINUTE);
  return within(places[mark.page], span);
}
