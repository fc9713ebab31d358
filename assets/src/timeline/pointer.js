import { rowAt, timeAt } from "./layout.js";
import { panned, zoomed } from "./window.js";

/** Pixels of the wheel for a whole window, and for twice as close. */
const SIDEWAYS = 600;
const CLOSER = 240;
/** Pixels after which a press is a drag. */
const STILL = 4;

/**
 * What mouse, wheel and touch do with a picture.
 * @param {HTMLElement} stage
 * @param {import("./viewer.js").Viewer} viewer
 */
export function pointer(stage, viewer) {
  let pressed;
  stage.addEventListener("wheel", (event) => wheel(stage, viewer, event), { passive: false });
  stage.addEventListener(
    "pointerdown",
    (event) => (pressed = { x: event.offsetX, window: viewer.window, dragged: false }),
  );
  stage.addEventListener("pointermove", (event) => event.buttons && pressed && drag(viewer, pressed, event));
  stage.addEventListener("click", (event) => pressed?.dragged || click(viewer, event));
}

/** The wheel scrolls the page until somebody has clicked here or holds Ctrl; then it zooms. */
function wheel(stage, viewer, event) {
  const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  const whole = viewer.capture.length;
  if (!sideways && !event.ctrlKey && !stage.contains(document.activeElement)) return;
  event.preventDefault();
  if (sideways) return viewer.look(panned(viewer.window, (event.deltaX || event.deltaY) / SIDEWAYS, whole));
  viewer.look(
    zoomed(
      viewer.window,
      2 ** (-event.deltaY / CLOSER),
      timeAt(viewer.picture.layout, viewer.window, event.offsetX),
      whole,
    ),
  );
}

function drag(viewer, pressed, event) {
  const moved = pressed.x - event.offsetX;
  pressed.dragged ||= Math.abs(moved) > STILL;
  if (pressed.dragged)
    viewer.look(panned(pressed.window, moved / viewer.picture.layout.width, viewer.capture.length));
}

/** A click on a span describes it; a click on a unit follows it. */
function click(viewer, { offsetX, offsetY }) {
  const { layout } = viewer.picture;
  const row = rowAt(layout, offsetY);
  if (row < 0 || offsetX < layout.left) return;
  viewer.goTo(row, timeAt(layout, viewer.window, offsetX));
  if (offsetY < layout.places[row].states && viewer.capture.rows[row].kind === "thread") viewer.do("follow");
}
