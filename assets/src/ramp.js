/** Stronger by orders of magnitude: a few slow units must stay visible beside thousands of fast ones. */
const FAINT = 0.12;
/** Shares of the way from one to the most, by ratio, at which the scale says how many a cell has. */
const STEPS = [0, 1 / 3, 2 / 3, 1];

/** @returns {number} of all cells of a heat map, the highest count */
export const most = (counts) => Math.max(0, ...counts.flat());

/** @returns {number} opacity of a cell with so many, above 0 */
export const strength = (count, highest) => FAINT + (1 - FAINT) * (Math.log1p(count) / Math.log1p(highest));

/** @returns {number[]} the counts that the scale of a heat map shows, ascending */
export function scaled(counts) {
  const highest = most(counts);
  return highest ? [...new Set(STEPS.map((share) => Math.round(highest ** share)))] : [];
}
