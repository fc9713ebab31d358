/** How lines of one chart differ: by colour and by dashes, so that they do on paper and for every eye. */

/** Names of the style sheet's colours. */
export const PALETTE = ["io", "stalled", "lock", "cpu", "native", "starved"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

/** @param {number} at which line @returns {number[]} */
export const dashes = (at) => DASHES[at % DASHES.length];
