/** Keeps the bulk bar and the select-all box in sync with the selected rows. */
export function countSelection(): void {
  for (const event of ["change", "exchanged"]) document.addEventListener(event, showCount);
  // Browsers change boxes after a reset event, and restore them after a page load.
  document.addEventListener("reset", () => setTimeout(showCount));
  addEventListener("pageshow", showCount);
}

function showCount(): void {
  const boxes = [...document.querySelectorAll<HTMLInputElement>('.choice input[name="id"]')];
  const count = boxes.filter(({ checked }) => checked).length;
  const selectAll = document.querySelector<HTMLInputElement>("#all");
  if (selectAll) selectAll.checked = count === boxes.length;
  const output = document.querySelector<HTMLOutputElement>("[data-selected]");
  if (!output) return;
  const isWholeList = document.querySelector<HTMLInputElement>('.bulk [name="all"]')?.checked;
  output.textContent = isWholeList ? "All selected" : `${count} selected`;
}
