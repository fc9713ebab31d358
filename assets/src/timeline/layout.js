/** Where rows stand, in pixels of the page. Names stand beside the rows, or above them where there is little room. */

const AXIS = 22, NAME = 15, UNITS = 15, STATES = 16, GAP = 8;
const BESIDE = 150;
const NARROW = 640;

/**
 * @param {import("./data.js").Capture} capture
 * @param {number} width
 * @returns {{left: number, width: number, height: number, axis: number, places: {top: number, units: number, states: number, height: number}[]}}
 */
export function layout(capture, width) {
  const left = width < NARROW ? 0 : BESIDE, above = left ? 0 : NAME;
  let top = AXIS;
  const places = capture.rows.map(() => {
    const units = top + above, states = units + UNITS, place = { top, units, states, height: STATES };
    top = states + STATES + GAP;
    return place;
  });
  return { left, width: width - left, height: top, axis: AXIS, places };
}

/** @returns {number} of the row at that height, -1 for none */
export const rowAt = ({ places }, y) => places.findIndex((place) => y >= place.top && y < place.states + place.height + GAP);

/** @returns {number} the moment at that distance from the left */
export const timeAt = ({ left, width }, { from, to }, x) => from + ((x - left) / width) * (to - from);
