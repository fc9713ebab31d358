/** Half of a dot and the gap to its label, and the height of a line of text, in pixels of a page. */
const GAP = 8, LINE = 14;

/**
 * Where the label of a dot stands so that all of it can be read: right of the dot where there is room, else left; above or
 * below as asked, unless that is outside.
 * @param {{x: number, y: number}} dot
 * @param {number} width of the label
 * @param {{left: number, right: number, top: number, bottom: number}} edges within which it has to be
 * @param {{below?: boolean, ratio?: number}} [how] ratio: pixels of the canvas for one of the page
 * @returns {{align: "left" | "right", x: number, y: number}} y: of the line that letters stand on
 */
export function beside(dot, width, edges, { below = false, ratio = 1 } = {}) {
  const gap = GAP * ratio;
  const left = dot.x + gap + width > edges.right && dot.x - gap - width >= edges.left;
  const lower = below ? dot.y + 2 * gap <= edges.bottom : dot.y - gap - LINE * ratio / 2 < edges.top;
  return { align: left ? "right" : "left", x: left ? dot.x - gap : dot.x + gap, y: lower ? dot.y + 2 * gap : dot.y - 0.75 * gap };
}
