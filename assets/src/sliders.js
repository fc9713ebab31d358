import { STEPS, scale } from "./scale.js";

/** The page is asked for when a slider has not moved for so many milliseconds. */
const REST = 80;

/**
 * Sliders beside the fields of a form that have a range (data-min, data-max, data-unit). A slider that is
 * moved empties the fields of other groups (data-group), and the page is asked for again.
 * @param {HTMLFormElement} form
 * @param {(address: string) => Promise<void>} ask
 */
export function sliders(form, ask) {
  const fields = [...form.querySelectorAll("input[data-min]")];
  let waiting;
  for (const field of fields) {
    const slider = beside(field);
    slider.addEventListener("input", () => {
      field.value = described(field, slider);
      settle(field, fields);
      clearTimeout(waiting);
      waiting = setTimeout(() => ask(address(form)), REST);
    });
  }
}

function beside(field) {
  const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: STEPS });
  slider.setAttribute("aria-label", field.closest("label").textContent.trim());
  slider.value = range(field).position(parseFloat(field.value || field.placeholder));
  field.after(slider);
  return slider;
}

const range = (field) => scale(Number(field.dataset.min), Number(field.dataset.max));

function described(field, slider) {
  const number = range(field).number(slider.valueAsNumber);
  const { unit } = field.dataset;
  const text = `${unit ? Number(number.toPrecision(2)) : Math.round(number)}${unit}`;
  slider.setAttribute("aria-valuetext", text);
  return text;
}

function settle(field, fields) {
  for (const other of fields) {
    if (other.dataset.group !== field.dataset.group) other.value = "";
    else other.value ||= other.placeholder;
  }
}

function address(form) {
  const asked = [...new FormData(form)].filter(([, value]) => value !== "");
  return `${form.action}?${new URLSearchParams(asked)}`;
}
