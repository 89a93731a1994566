import { say } from "./shown-toasts";

/** Buttons that copy what stands in the field whose id they name. */
export function offerCopies(): void {
  for (const button of document.querySelectorAll<HTMLElement>("button[data-copy]"))
    button.addEventListener("click", () => {
      const field = document.getElementById(button.dataset.copy ?? "");
      if (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) copy(field);
    });
}

async function copy(field: HTMLTextAreaElement | HTMLInputElement): Promise<void> {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    say("Copied.");
  } catch {
    // Over plain http browsers have no clipboard for pages; what is selected can be copied by hand.
    say("It is selected: copy it from the field.");
  }
}
