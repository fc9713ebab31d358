/** Colours are the style sheet's, so that charts follow light and dark with the page. */

const DARK = window.matchMedia("(prefers-color-scheme: dark)");

/**
 * @param {string} name of a custom property, without its dashes
 * @returns {string}
 */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * @param {() => void} redraw
 * @returns {() => void} what ends it
 */
export function onThemeChange(redraw) {
  DARK.addEventListener("change", redraw);
  return () => DARK.removeEventListener("change", redraw);
}
