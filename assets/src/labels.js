/** Half of a dot and the gap to its label, and the height of a line of text, in CSS pixels. */
const GAP = 8;
const LINE = 14;
/** Of letters above their base line. */
const LETTER = 9;

/**
 * The place of a dot's label in which all of it can be read: right of the dot where there is room, else left,
 * else as far right as it fits; above or below as asked, unless that is outside.
 * @param {{x: number, y: number}} dot
 * @param {number} width of the label
 * @param {{left: number, right: number, top: number, bottom: number}} edges that the label must not cross
 * @param {{below?: boolean, ratio?: number}} [how] ratio: canvas pixels for one CSS pixel
 * @returns {{align: "left" | "right", x: number, y: number}} y: of the text's base line
 */
export function beside(dot, width, edges, { below = false, ratio = 1 } = {}) {
  const gap = GAP * ratio;
  const left = dot.x + gap + width > edges.right && dot.x - gap - width >= edges.left;
  // It may stand over the dot itself, and is then as far from it as from a flag.
  const beyond = !left && dot.x + gap + width > edges.right;
  const lower = below ? dot.y + 2 * gap <= edges.bottom : dot.y - gap - (LINE * ratio) / 2 < edges.top;
  return {
    align: left ? "right" : "left",
    x: left ? dot.x - gap : Math.max(edges.left, Math.min(dot.x + gap, edges.right - width)),
    y: lower ? dot.y + 2 * gap : dot.y - (beyond ? 1.25 : 0.75) * gap,
  };
}

/**
 * Whether a label would cover what stands above it.
 * @param {{align: "left" | "right", x: number, y: number}} place of the label, see beside
 * @param {number} width of the label
 * @param {{left: number, right: number, bottom: number}[]} others
 * @param {number} [ratio] canvas pixels for one CSS pixel
 * @returns {boolean}
 */
export function meets({ align, x, y }, width, others, ratio = 1) {
  const left = align === "right" ? x - width : x;
  const over = (other) => y - LETTER * ratio < other.bottom;
  return others.some((other) => over(other) && left < other.right && left + width > other.left);
}
