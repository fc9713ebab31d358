/** Positions of a slider, 0 to STEPS, and their numbers; logarithmic where the range is wide. */

export const STEPS = 200;
const WIDE = 100;

/**
 * @param {number} min
 * @param {number} max
 * @returns {{number: (position: number) => number, position: (number: number) => number}}
 */
export function scale(min, max) {
  const [there, back] = min > 0 && max / min >= WIDE ? [Math.log, Math.exp] : [Number, Number];
  const low = there(min);
  const high = there(max);
  return {
    number: (position) => back(low + ((high - low) * position) / STEPS),
    position: (number) =>
      Math.round((STEPS * (there(Math.min(Math.max(number, min), max)) - low)) / (high - low)),
  };
}
