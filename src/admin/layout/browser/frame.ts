import { listenForShortcuts } from "./keyboard-shortcuts";
import { restoreSentForm } from "./restore-form";
import { openSearchByKey } from "./search-dialog";
import { announceToasts, showToast } from "./toasts";

/** Every admin page has these scripts, and works without them. */
listenForShortcuts();
openSearchByKey();
announceToasts();
offerCopies();
countSelection();
restoreSentForm();

function countSelection(): void {
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

function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLElement>("button[data-copy]"))
    button.addEventListener("click", () => {
      const place = document.getElementById(button.dataset.copy ?? "");
      if (place) copy(place, button);
    });
  for (const button of document.querySelectorAll<HTMLElement>("button[data-share]")) {
    button.hidden = !("share" in navigator);
    // The promise is rejected if the user closes the system's sheet.
    button.addEventListener("click", () => navigator.share({ url: button.dataset.share }).catch(() => {}));
  }
}

async function copy(place: HTMLElement, button: HTMLElement): Promise<void> {
  const isField = place instanceof HTMLTextAreaElement || place instanceof HTMLInputElement;
  if (isField) place.select();
  else getSelection()?.selectAllChildren(place);
  try {
    await navigator.clipboard.writeText(isField ? place.value : place.textContent);
    // A button in a toast changes its text, because a new toast would replace the button's toast.
    if (button.closest("#toasts")) button.textContent = "Copied";
    else showToast("Copied.");
  } catch {
    // Pages served over plain HTTP have no clipboard access. The text stays selected.
    showToast("Selected. Press Ctrl+C to copy the text.");
  }
}
