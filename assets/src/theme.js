/** Colours are the style sheet's, so that charts follow light and dark with the page. */

const DARK = window.matchMedia("(prefers-color-scheme: dark)");
/** Hatching is for readers who ask for contrast, and for paper: to all others it is noise. */
const HATCHED = window.matchMedia("(prefers-contrast: more), print");

/**
 * @param {string} name of a custom property, without its dashes
 * @returns {string}
 */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** @returns {boolean} whether states are hatched */
export const hatched = () => HATCHED.matches;

/**
 * @param {() => void} redraw
 * @returns {() => void} what ends it
 */
export function onThemeChange(redraw) {
  for (const media of [DARK, HATCHED]) media.addEventListener("change", redraw);
  return () => {
    for (const media of [DARK, HATCHED]) media.removeEventListener("change", redraw);
  };
}
