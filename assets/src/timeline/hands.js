import { rowAt, timeAt } from "./layout.js";
import { panned, zoomed } from "./window.js";

/** Pixels of the wheel for a whole window, and for twice as close. */
const SIDEWAYS = 600, CLOSER = 240;
/** Pixels after which a press is a drag. */
const STILL = 4;

/**
 * What the mouse, the wheel and fingers do with a picture.
 * @param {HTMLElement} stage
 * @param {import("./viewer.js").Viewer} viewer
 */
export function hands(stage, viewer) {
  let pressed;
  stage.addEventListener("wheel", (event) => wheel(stage, viewer, event), { passive: false });
  stage.addEventListener("pointerdown", (event) => (pressed = { x: event.offsetX, window: viewer.window, dragged: false }));
  stage.addEventListener("pointermove", (event) => event.buttons && pressed && drag(viewer, pressed, event));
  stage.addEventListener("click", (event) => pressed?.dragged || click(viewer, event));
}

/** A page that is scrolled past is scrolled past: the wheel zooms once somebody has clicked here, or holds Ctrl. */
function wheel(stage, viewer, event) {
  const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY), whole = viewer.capture.length;
  if (!sideways && !event.ctrlKey && !stage.contains(document.activeElement)) return;
  event.preventDefault();
  if (sideways) return viewer.look(panned(viewer.window, (event.deltaX || event.deltaY) / SIDEWAYS, whole));
  viewer.look(zoomed(viewer.window, 2 ** (-event.deltaY / CLOSER), timeAt(viewer.picture.layout, viewer.window, event.offsetX), whole));
}

function drag(viewer, pressed, event) {
  const moved = pressed.x - event.offsetX;
  pressed.dragged ||= Math.abs(moved) > STILL;
  if (pressed.dragged) viewer.look(panned(pressed.window, moved / viewer.picture.layout.width, viewer.capture.length));
}

/** On a period tells of it; on a unit follows it. */
function click(viewer, { offsetX, offsetY }) {
  const { layout } = viewer.picture, row = rowAt(layout, offsetY);
  if (row < 0 || offsetX < layout.left) return;
  viewer.goTo(row, timeAt(layout, viewer.window, offsetX));
  if (offsetY < layout.places[row].states && viewer.capture.rows[row].kind === "thread") viewer.do("follow");
}
