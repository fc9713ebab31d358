/** Labels of a logarithmic axis: 1, 2, 5, 10, 20 ... where there is room for all, else powers of ten. */

/**
 * @param {number} low above 0
 * @param {number} high
 * @param {number} room for how many there is
 * @returns {number[]} within them
 */
export function logTicks(low, high, room) {
  const within = (steps) =>
    powers(low, high)
      .flatMap((power) => steps.map((step) => step * power))
      .filter((tick) => tick >= low && tick <= high);
  const all = within([1, 2, 5]);
  return all.length <= room ? all : thinned(within([1]), room);
}

function thinned(ticks, room) {
  const every = Math.ceil(ticks.length / Math.max(1, room));
  return ticks.filter((_, at) => at % every === 0);
}

function powers(low, high) {
  const first = Math.floor(Math.log10(low));
  const last = Math.floor(Math.log10(high));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}
