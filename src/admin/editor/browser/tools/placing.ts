/** Between a tool and what it belongs to, and the window's edge, in pixels. */
const GAP = 8;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Puts a floating tool over or under a place of the window; on the other side where there is no room. */
export function placeAt(tool: HTMLElement, at: Box, side: "above" | "below"): void {
  const { offsetWidth: width, offsetHeight: height } = tool;
  const seen = window.visualViewport;
  const bottom = (seen?.offsetTop ?? 0) + (seen?.height ?? innerHeight);
  const above = at.top - height - GAP;
  const below = at.bottom + GAP;
  const isAbove = side === "above" ? above > GAP : below + height > bottom && above > GAP;
  const middle = side === "above" ? (at.left + at.right - width) / 2 : at.left;
  const left = Math.max(GAP, Math.min(middle, document.documentElement.clientWidth - width - GAP));
  // The place that it is positioned in may begin anywhere.
  const from = (tool.offsetParent ?? document.body).getBoundingClientRect();
  tool.style.left = `${left - from.left}px`;
  tool.style.top = `${(isAbove ? above : below) - from.top}px`;
}

/** Where floating tools stand in the document: inside the page's main part, for whoever goes from part to part. */
export function floatingPlace(): HTMLElement {
  return document.querySelector("main") ?? document.body;
}
