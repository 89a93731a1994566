/** Signs around what is selected, by the key that puts them there with Ctrl or Cmd. */
const AROUND: Record<string, [before: string, after: string]> = {
  b: ["**", "**"],
  i: ["*", "*"],
  k: ["[", "](https://)"],
};

/** Comforts of a text area that Markdown is written in. */
export function easeMarkdown(area: HTMLTextAreaElement): void {
  area.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const around =
      (event.ctrlKey || event.metaKey) && !event.altKey ? AROUND[event.key.toLowerCase()] : undefined;
    const isDone = around
      ? putAround(area, ...around)
      : event.key === "Enter" && !event.shiftKey && goOn(area);
    if (isDone) event.preventDefault();
  });
}

function goOn(area: HTMLTextAreaElement): boolean {
  const { selectionStart: at, selectionEnd, value } = area;
  if (at !== selectionEnd) return false;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const continuation = continuationOf(value.slice(start, at));
  if (!continuation) return false;
  if ("put" in continuation) put(area, continuation.put);
  else {
    area.setSelectionRange(start, at);
    put(area, "");
  }
  return true;
}

function putAround(area: HTMLTextAreaElement, before: string, after: string): boolean {
  const { selectionStart, selectionEnd, value } = area;
  put(area, before + value.slice(selectionStart, selectionEnd) + after);
  area.setSelectionRange(selectionStart + before.length, selectionEnd + before.length);
  return true;
}

/** In the place of what is selected, so that it can be taken back. */
export function put(area: HTMLTextAreaElement, text: string): void {
  area.focus();
  // Nothing else leaves the list of what can be taken back whole.
  const isPut =
    text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (isPut) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A line of a list, a task or a quote: what stands before its text. */
const ITEM = /^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) |(> ?))/;

/** What Enter puts in behind a line, or, where the line has only its sign, that the sign goes. */
type Continuation = { put: string } | { removeSign: true };

/** Null where Enter does what it always does. @param line the line up to the cursor */
export function continuationOf(line: string): Continuation | null {
  const match = ITEM.exec(line);
  if (!match) return null;
  const [sign, indent, bullet, task, number, dot, quote] = match;
  if (line.slice(sign.length).trim() === "") return { removeSign: true };
  const next = bullet
    ? `${bullet} ${task ? "[ ] " : ""}`
    : number
      ? `${Number(number) + 1}${dot} `
      : (quote as string);
  return { put: `\n${indent}${next}` };
}
