import { say } from "./toasts";

export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLElement>("button[data-copy]"))
    button.addEventListener("click", () => {
      const place = document.getElementById(button.dataset.copy ?? "");
      if (place) copy(place);
    });
}

async function copy(place: HTMLElement): Promise<void> {
  const isField = place instanceof HTMLTextAreaElement || place instanceof HTMLInputElement;
  if (isField) place.select();
  else getSelection()?.selectAllChildren(place);
  try {
    await navigator.clipboard.writeText(isField ? place.value : place.textContent);
    say("Copied.");
  } catch {
    // Pages served over plain HTTP have no clipboard access. The text stays selected.
    say("Selected. Press Ctrl+C.");
  }
}
