/** Where an axis that multiplies has its labels: 1, 2, 5, 10, 20 ... where there is room for all, else only the powers of ten. */

const FEW = 8;

/**
 * @param {number} low above 0
 * @param {number} high
 * @returns {number[]} within them
 */
export function logTicks(low, high) {
  const within = (steps) => powers(low, high).flatMap((power) => steps.map((step) => step * power)).filter((tick) => tick >= low && tick <= high);
  const all = within([1, 2, 5]);
  return all.length <= FEW ? all : within([1]);
}

function powers(low, high) {
  const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}
