const MAX_KEY_GAP_MS = 1500;

/**
 * Elements have their keys in `data-keys`, such as "n" or "g p". The editor page has no shortcuts, because
 * typing could trigger them after the text has lost the focus.
 */
export function listenForShortcuts(): void {
  if (document.body.classList.contains("is-writing")) return;
  let before = { key: "", at: 0 };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target))
      return;
    const sequence = event.timeStamp - before.at < MAX_KEY_GAP_MS ? `${before.key} ${event.key}` : "";
    before = { key: event.key, at: event.timeStamp };
    const target = withKeys(sequence) ?? withKeys(event.key);
    if (!target || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    reach(target);
  });
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.isContentEditable || element?.closest?.("input, textarea, select"));
}

function withKeys(keys: string): HTMLElement | null {
  return keys === "" ? null : document.querySelector(`[data-keys="${CSS.escape(keys)}"]`);
}

function reach(element: HTMLElement): void {
  if (element instanceof HTMLDialogElement) element.showModal();
  else if (element instanceof HTMLInputElement) element.select();
  else element.click();
}
