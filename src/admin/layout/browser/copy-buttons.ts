import { showToast } from "./toasts";

export function offerCopies(): void {
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
    // For example, pages over plain HTTP cannot write to the clipboard. The text stays selected.
    showToast("Selected. Press Ctrl+C to copy the text.");
  }
}
