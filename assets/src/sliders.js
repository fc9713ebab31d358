import { STEPS, scale } from "./scale.js";

/** What a hand moves is asked for after it rests for so long. */
const REST = 80;

/**
 * Sliders beside the fields of a form that say how far they go (data-min, data-max, data-unit). Those of one data-group belong
 * together and take the place of the others. The form is asked again while they are moved.
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
  const text = `${field.dataset.unit ? Number(number.toPrecision(2)) : Math.round(number)}${field.dataset.unit}`;
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
