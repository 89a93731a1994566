const GAP = 8;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function placeAt(tool: HTMLElement, at: Box, side: "above" | "below", text: Element): void {
  const { offsetWidth: width, offsetHeight: height } = tool;
  const viewport = window.visualViewport;
  const bottom = (viewport?.offsetTop ?? 0) + (viewport?.height ?? innerHeight) - height - GAP;
  const main = floatingPlace().getBoundingClientRect();
  const head = document.querySelector(".writing-head")?.getBoundingClientRect().bottom ?? 0;
  const top = Math.max(head, text.getBoundingClientRect().top - GAP);
  const above = at.top - height - GAP;
  const below = at.bottom + GAP;
  const isAbove = side === "above" ? above >= top : below > bottom && above >= top;
  const middle = side === "above" ? (at.left + at.right - width) / 2 : at.left;
  const left = Math.max(main.left + GAP, Math.min(middle, main.right - width - GAP));
  const from = (tool.offsetParent ?? document.body).getBoundingClientRect();
  tool.style.left = `${left - from.left}px`;
  tool.style.top = `${(isAbove ? above : Math.min(below, bottom)) - from.top}px`;
}

/** Toolbars inside `main` belong to a landmark for screen readers. */
export function floatingPlace(): HTMLElement {
  return document.querySelector("main") ?? document.body;
}
