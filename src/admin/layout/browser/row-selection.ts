export function countSelection(): void {
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.id === "all")
      for (const box of rowBoxes()) box.checked = target.checked;
    showCount();
  });
  document.addEventListener("exchanged", showCount);
  // Browsers change checkboxes after a reset event, and restore them after a page load.
  document.addEventListener("reset", () => setTimeout(showCount));
  addEventListener("pageshow", showCount);
}

function showCount(): void {
  const boxes = rowBoxes();
  const count = boxes.filter(({ checked }) => checked).length;
  const selectAll = document.querySelector<HTMLInputElement>("#all");
  if (selectAll) selectAll.checked = count > 0 && count === boxes.length;
  const output = document.querySelector<HTMLOutputElement>("[data-selected]");
  if (!output) return;
  const isWholeList = document.querySelector<HTMLInputElement>('.bulk [name="all"]')?.checked;
  output.textContent = isWholeList ? "All selected" : `${count} selected`;
}

function rowBoxes(): HTMLInputElement[] {
  return [...document.querySelectorAll<HTMLInputElement>('.choice input[name="id"]')];
}
