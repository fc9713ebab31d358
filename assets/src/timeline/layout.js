/** Where rows are, in pixels of the page. Names are beside the rows, on narrow screens above them. */

const AXIS = 22;
const NAME = 15;
const UNITS = 15;
const STATES = 16;
const GAP = 8;
const BESIDE = 150;
const NARROW = 640;

/**
 * @param {import("./data.js").Capture} capture
 * @param {number} width
 * @param {Set<number>} folded rows that are not shown
 * @typedef {{top: number, units: number, states: number, height: number}} Place
 * @returns {{left: number, width: number, height: number, axis: number, places: (Place | undefined)[]}}
 */
export function layout(capture, width, folded = new Set()) {
  const left = width < NARROW ? 0 : BESIDE;
  const above = left ? 0 : NAME;
  let top = AXIS;
  const places = capture.rows.map((_, at) => {
    if (folded.has(at)) return undefined;
    const units = top + above;
    const states = units + UNITS;
    const place = { top, units, states, height: STATES };
    top = states + STATES + GAP;
    return place;
  });
  return { left, width: width - left, height: top, axis: AXIS, places };
}

/** @returns {number} of the row at that height, -1 for none */
export const rowAt = ({ places }, y) =>
  places.findIndex((place) => place && y >= place.top && y < place.states + place.height + GAP);

/** @returns {number} the moment at that distance from the left */
export const timeAt = ({ left, width }, { from, to }, x) => from + ((x - left) / width) * (to - from);
