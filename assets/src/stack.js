/**
 * Lines that stand on one another. Where one has no value none has: a gap is no zero.
 * @param {(number | null)[][]} lines of one length, the lowest first
 * @returns {(number | null)[][]} each with those under it
 */
export function stacked(lines) {
  const below = lines.length ? lines[0].map(() => 0) : [];
  return lines.map((line) =>
    line.map((value, at) => {
      below[at] = value === null || below[at] === null ? null : below[at] + value;
      return below[at];
    }),
  );
}
