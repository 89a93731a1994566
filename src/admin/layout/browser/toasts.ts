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
