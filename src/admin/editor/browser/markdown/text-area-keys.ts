const MARKERS: Record<string, [before: string, after: string]> = {
  b: ["**", "**"],
  i: ["*", "*"],
  k: ["[", "](https://)"],
};

export function handleMarkdownKeys(area: HTMLTextAreaElement): void {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const markers =
      (event.ctrlKey || event.metaKey) && !event.altKey ? MARKERS[event.key.toLowerCase()] : undefined;
    // Without a selection, Ctrl+K opens the search.
    const isSearch = event.key.toLowerCase() === "k" && area.selectionStart === area.selectionEnd;
    if (markers && isSearch) return;
    const isDone = markers
      ? wrapSelection(area, ...markers)
      : event.key === "Enter" && !event.shiftKey && continueList(area);
    if (isDone) event.preventDefault();
  });
}

function continueList(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area;
  if (at !== selectionEnd) return false;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const continuation = continuationOf(value.slice(start, at));
  if (continuation === null) return false;
  // An empty item ends the list: its marker is deleted.
  if (continuation === "") area.setSelectionRange(start, at);
  replaceSelection(area, continuation);
  return true;
}

function wrapSelection(area: HTMLTextAreaElement, before: string, after: string): boolean {
  const { selectionStart, selectionEnd, value } = area;
  replaceSelection(area, before + value.slice(selectionStart, selectionEnd) + after);
  area.setSelectionRange(selectionStart + before.length, selectionEnd + before.length);
  return true;
}

export function replaceSelection(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  // execCommand is deprecated, but setRangeText would lose the undo history.
  const isInserted =
    text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isInserted) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

const ITEM = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) |(> ?))/;

function continuationOf(line: string): string | null {
  const match = ITEM.exec(line);
  if (!match) return null;
  const [sign, indent, bullet, task, number, dot, quote] = match;
  if (line.slice(sign.length).trim() === "") return "";
  const next = bullet
    ? `${bullet} ${task ? "[ ] " : ""}`
    : number
      ? `${Number(number) + 1}${dot} `
      : (quote as string);
  return `\n${indent}${next}`;
}
