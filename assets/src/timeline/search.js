/** So many are shown. */
const MOST = 20;

/**
 * What has a text in its name: units (by their number too), threads, methods.
 * @param {import("./data.js").Capture} capture
 * @param {string} text
 * @returns {{kind: "unit" | "thread" | "method", name: string, row: number, time: number, unit?: number}[]}
 */
export function found(capture, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const has = (name) => name.toLowerCase().includes(wanted);
  const threads = capture.rows.flatMap((row, at) =>
    row.kind === "thread" && has(row.name) ? [{ kind: "thread", name: row.name, row: at, time: 0 }] : [],
  );
  const units = [...capture.units.values()]
    .filter((unit) => `#${unit.id}` === wanted || `${unit.id}` === wanted || has(unit.name))
    .map((unit) => ({
      kind: "unit",
      name: `${unit.name} #${unit.id}`,
      row: unit.row,
      time: unit.from,
      unit: unit.id,
    }));
  return [...threads, ...methods(capture, has), ...units].slice(0, MOST);
}

/** Where each that fits held the GVL first. */
function methods(capture, has) {
  const places = [];
  capture.methods.forEach(
    (name, number) => number && has(name) && places.push(...first(capture, name, number)),
  );
  return places;
}

function first(capture, name, number) {
  for (const row of capture.rows) {
    const at = row.method?.indexOf(number) ?? -1;
    if (at >= 0) return [{ kind: "method", name, row: row.by[at], time: row.from[at] }];
  }
  return [];
}

/**
 * Shows them below the field while somebody types; Enter goes to the first.
 * @param {HTMLInputElement} field
 * @param {HTMLUListElement} list
 * @param {import("./data.js").Capture} capture
 * @param {(one: {row: number, time: number, unit?: number}) => void} go
 */
export function search(field, list, capture, go) {
  const show = () =>
    list.replaceChildren(...found(capture, field.value).map((one) => entry(one, () => go(one))));
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const [first] = event.key === "Enter" ? found(capture, field.value) : [];
    if (first) go(first);
    if (event.key === "Escape") field.value = "";
    if (event.key === "Escape") show();
  });
}

function entry({ name }, go) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
  button.addEventListener("click", go);
  const item = document.createElement("li");
  item.append(button);
  return item;
}
