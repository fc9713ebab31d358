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
 * @param {{x: {values: number[]}, marks?: {at: number, page?: string}[]}} chart
 * @returns its marks that lead to a page, by time
 */
export function leading({ x: { values }, marks = [] }) {
  const { until } = step(values, values.length - 1);
  return marks
    .filter((mark) => mark.page && mark.at > values[0] && mark.at < until)
    .sort((one, other) => one.at - other.at);
}

/**
 * @param {object} chart
 * @param {{at: number} | undefined} mark where one is
 * @returns the mark after that, or the first
 */
export function following(chart, mark) {
  const known = leading(chart);
  return known.find(({ at }) => mark && at > mark.at) ?? known[0];
}

/** @param {number} second @returns {number} index of the step that it is in */
export const indexOf = (seconds, second) =>
  Math.max(
    0,
    seconds.findLastIndex((start) => start <= second),
  );

/** @returns {string} this page with the steps from one point to the other as its span */
export function part(chart, places, one, other) {
  const seconds = chart.x.values;
  const [from, to] = [Math.min(one, other), Math.max(one, other)];
  return within(places.part, minutes(seconds[from], step(seconds, to).until));
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
  const mark = leading(chart).find((each) => distance(each.at) <= NEAR);
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
