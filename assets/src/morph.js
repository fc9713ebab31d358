const OURS = "[data-series], [data-chart], [data-keep]";

/**
 * Updates an element in place to what the server sent. Elements that stay keep focus, scroll position and
 * whether they are open; elements that scripts fill (data-series, data-chart, data-keep) keep their content.
 * @param {Element} old
 * @param {Element} fresh
 */
export function morph(old, fresh) {
  attributes(old, fresh);
  if (old.matches(OURS)) return;
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  after.forEach((node, at) => (at < before.length ? change(before[at], node) : old.append(node)));
  before.slice(after.length).forEach((node) => node.remove());
}

function change(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || ours(old) !== ours(fresh))
    old.replaceWith(fresh);
  else if (old.nodeType === Node.ELEMENT_NODE) morph(old, fresh);
  else if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
}

const ours = (node) => node.nodeType === Node.ELEMENT_NODE && node.matches(OURS);

/** Whether it is open or hidden is up to the person in front of it. */
const THEIRS = ["open", "hidden"];

/** Of what scripts fill, so is the class: a chart with the cursor has one. */
const theirs = (element) => (element.matches(OURS) ? [...THEIRS, "class"] : THEIRS);

function attributes(old, fresh) {
  const kept = theirs(old);
  for (const { name } of [...old.attributes])
    if (!kept.includes(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!kept.includes(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
}
