/**
 * The part of a capture that is looked at: where keys and the wheel move it. Never beyond the capture.
 * @typedef {{from: number, to: number}} Window in ns
 */

const LEAST = 1000;
const STEP = 0.15;
const FACTOR = 1.5;

/** @returns {Window} of that length, as near to `from` as there is room */
export function fitted(from, length, whole) {
  const size = Math.min(whole, Math.max(LEAST, length));
  const begin = Math.min(whole - size, Math.max(0, from));
  return { from: begin, to: begin + size };
}

/** @returns {Window} closer by `factor`; `at` stays where it is */
export function zoomed({ from, to }, factor, at, whole) {
  const size = Math.min(whole, Math.max(LEAST, (to - from) / factor));
  return fitted(at - (at - from) * (size / (to - from)), size, whole);
}

/** @returns {Window} moved by a share of itself */
export const panned = ({ from, to }, share, whole) => fitted(from + (to - from) * share, to - from, whole);

/** @returns {Window} which shows `begin` to `end`: the same if it does already, else moved or made wider */
export function showing(window, begin, end, whole) {
  const size = window.to - window.from;
  if (begin >= window.from && end <= window.to) return window;
  if (end - begin > size * 0.9) return fitted(begin - (end - begin) * 0.1, (end - begin) * 1.2, whole);
  return fitted((begin + end - size) / 2, size, whole);
}

/**
 * @param {string} key of a KeyboardEvent
 * @param {Window} window
 * @param {number} at what stays in its place
 * @param {number} whole
 * @returns {Window | undefined} undefined for keys of others
 */
export function keyed(key, window, at, whole) {
  const size = window.to - window.from;
  switch (key) {
    case "ArrowLeft":
      return panned(window, -STEP, whole);
    case "ArrowRight":
      return panned(window, STEP, whole);
    case "PageUp":
      return panned(window, -1, whole);
    case "PageDown":
      return panned(window, 1, whole);
    case "+":
    case "=":
      return zoomed(window, FACTOR, at, whole);
    case "-":
      return zoomed(window, 1 / FACTOR, at, whole);
    case "Home":
      return fitted(0, size, whole);
    case "End":
      return fitted(whole, size, whole);
    case "0":
      return fitted(0, whole, whole);
  }
}
