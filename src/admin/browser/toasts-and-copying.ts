/** Inserts the server's toast again, because screen readers announce only changes. */
export function announceToasts(): void {
  const place = document.getElementById("toasts");
  const toast = place?.firstElementChild;
  if (place && toast) requestAnimationFrame(() => place.replaceChildren(toast));
  document.addEventListener("click", ({ target }) => {
    const closed = target instanceof Element && target.closest("[data-close]")?.closest(".toast");
    if (!closed) return;
    closed.remove();
    document.getElementById("main")?.focus();
  });
}

export function showToast(sentence: string): void {
  const toast = document.createElement("div");
  toast.className = "toast said";
  toast.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  const close = document.querySelector<HTMLTemplateElement>("#toast-close");
  if (close) toast.append(close.content.cloneNode(true));
  document.getElementById("toasts")?.replaceChildren(toast);
}

export function announceToScreenReaders(sentence: string): void {
  const spoken = Object.assign(document.createElement("p"), { className: "spoken", textContent: sentence });
  document.getElementById("toasts")?.replaceChildren(spoken);
}

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
