/** Keeps the count in the bulk bar and the box that selects all in step with the selected rows. */
export function countSelection(): void {
  for (const event of ["change", "exchanged"]) document.addEventListener(event, showCount);
  // Boxes are reset after the event; a page that is gone back to restores them after it has loaded.
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
