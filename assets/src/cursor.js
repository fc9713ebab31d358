/** Where a key moves the cursor over the points of a chart. */

const PAGE = 10;

/**
 * @param {string} key of a KeyboardEvent
 * @param {number | null | undefined} at
 * @param {number} size how many points there are
 * @returns {number | null | undefined} the next point; null: no cursor; undefined: not a key of the chart
 */
export function moved(key, at, size) {
  const last = size - 1;
  const from = at ?? (key === "ArrowRight" || key === "PageDown" ? -1 : size);
  const to = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    PageDown: from + PAGE,
    PageUp: from - PAGE,
    Home: 0,
    End: last,
    Escape: null,
  }[key];
  return typeof to === "number" ? Math.max(0, Math.min(last, to)) : to;
}
