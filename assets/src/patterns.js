import { colour, hatched } from "./theme.js";

/**
 * Where the page is hatched, states differ by pattern as well as by colour. These are the patterns of the
 * page's bars (views/patterns.erb), for a canvas. Each draws its strokes on a tile of `size`.
 */
const DRAWN = {
  starved: { size: 6, path: "M0 3h6", width: 1.5 },
  stalled: { size: 8, path: "M-2 2l4-4M0 8l8-8M6 10l4-4", width: 2 },
  io: { size: 6, path: "M2 3a1 1 0 1 0 2 0a1 1 0 1 0-2 0", width: 1 },
  lock: { size: 8, path: "M0 0l8 8M8 0l-8 8", width: 1 },
  sleep: { size: 6, path: "M3 0v6", width: 1 },
  native: { size: 8, path: "M-2 6l4 4M0 0l8 8M6-2l4 4", width: 1.5 },
};

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} state
 * @returns {CanvasPattern | string} what to fill with
 */
export function fill(context, state) {
  const drawn = DRAWN[state];
  if (!drawn || !hatched()) return colour(state);
  const ratio = window.devicePixelRatio || 1;
  const tile = Object.assign(document.createElement("canvas"), {
    width: Math.round(drawn.size * ratio),
    height: Math.round(drawn.size * ratio),
  });
  draw(tile.getContext("2d"), drawn, colour(state), ratio);
  return context.createPattern(tile, "repeat");
}

function draw(context, { size, path, width }, background, ratio) {
  context.scale(ratio, ratio);
  context.fillStyle = background;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = "rgb(255 255 255 / .55)";
  context.lineWidth = width;
  context.stroke(new Path2D(path));
}
