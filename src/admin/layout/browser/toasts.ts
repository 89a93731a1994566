/** Inserts the server's toast again, because screen readers announce only changes. */
export function announceToasts(): void {
  const place = document.getElementById("toasts");
  const toast = place?.firstElementChild;
  if (!place || !toast) return;
  offerClosing(toast);
  requestAnimationFrame(() => place.replaceChildren(toast));
}

export function showToast(sentence: string): void {
  const toast = document.createElement("div");
  toast.className = "toast said";
  toast.append(Object.assign(document.createElement("p"), { textContent: sentence }));
  const close = document.querySelector<HTMLTemplateElement>("#toast-close");
  if (close) toast.append(close.content.cloneNode(true));
  offerClosing(toast);
  document.getElementById("toasts")?.replaceChildren(toast);
}

/** Announces a sentence to screen readers. */
export function announceToScreenReaders(sentence: string): void {
  const spoken = Object.assign(document.createElement("p"), { className: "spoken", textContent: sentence });
  document.getElementById("toasts")?.replaceChildren(spoken);
}

function offerClosing(toast: Element): void {
  const close = toast.querySelector<HTMLElement>("[data-close]");
  if (close) close.hidden = false;
  close?.addEventListener("click", () => {
    toast.remove();
    document.getElementById("main")?.focus();
  });
}
