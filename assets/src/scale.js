/** Positions of a slider, 0 to STEPS, and the numbers that they stand for; by ratio where the range is wide. */

export const STEPS = 200;
const WIDE = 100;

/**
 * @param {number} min
 * @param {number} max
 * @returns {{number: (position: number) => number, position: (number: number) => number}}
 */
export function scale(min, max) {
  const [there, back] = min > 0 && max / min >= WIDE ? [Math.log, Math.exp] : [Number, Number];
  const low = there(min), high = there(max);
  return {
    number: (position) => back(low + ((high - low) * position) / STEPS),
    position: (number) => Math.round((STEPS * (there(Math.min(Math.max(number, min), max)) - low)) / (high - low)),
  };
}
