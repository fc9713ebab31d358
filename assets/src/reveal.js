/**
 * Shows what is hidden for as long as there is no script.
 * @param {Element} element with all that it stands in
 */
export function reveal(element) {
  for (let hidden = element.closest("[hidden]"); hidden; hidden = hidden.closest("[hidden]"))
    hidden.hidden = false;
}
