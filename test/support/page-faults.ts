import type { Tab } from "./browser";

/** The minified file, because each page parses it. */
const AXE = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** Rules of WCAG 2.2 AA, and axe's best practices. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** Rules that depend on stylesheet, screen or color scheme. The others read the markup. */
export const LOOKS = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"];

/** Tabs in which each page has axe. Sending half a megabyte to each page takes a second. */
const prepared = new WeakSet<Tab>();
const worldName = "axe";

/** @returns accessibility errors found by axe, after animations have ended */
export async function faultsIn(on: Tab, rules = RULES): Promise<string[]> {
  if (!prepared.has(on))
    await on.command("Page.addScriptToEvaluateOnNewDocument", {
      source: AXE,
      worldName,
      runImmediately: true,
    });
  prepared.add(on);
  const { frameTree } = await on.command("Page.getFrameTree");
  const { executionContextId } = await on.command("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName,
  });
  if (!(await on.evaluate<boolean>("'axe' in window", executionContextId)))
    await on.evaluate(`{ ${AXE} }`, executionContextId);
  // Preloading would fetch the stylesheets again.
  const options = { runOnly: rules, resultTypes: ["violations"], iframes: false, preload: false };
  return await on.evaluate<string[]>(
    `(async () => {
    for (const animation of document.getAnimations())
      if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish();
    const { violations } = await axe.run(document, ${JSON.stringify(options)});
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary));
  })()`,
    executionContextId,
  );
}

/** @returns the cumulative layout shift */
export const SHIFTS = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

/** Scrolls to the end and back, until all pictures are loaded. */
export const SCROLL_THROUGH = `(async () => {
  const wait = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await wait();
  }
  await Promise.all([...document.images].map((image) => image.complete || new Promise((done) => { image.onload = image.onerror = done; })));
  scrollTo({ top: 0, behavior: "instant" });
  await wait();
})()`;

/** @returns transferred bytes of page and stylesheet */
export const TRANSFERRED_BYTES = `performance.getEntriesByType("navigation")[0].transferSize +
  performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/")).reduce((sum, { transferSize }) => sum + transferSize, 0)`;

/** @returns boxes with horizontal scrolling that the keyboard cannot reach */
export const UNREACHABLE = `[...document.querySelectorAll("body *")]
  .filter((box) => box.scrollWidth > box.clientWidth && /auto|scroll/.test(getComputedStyle(box).overflowX) && box.tabIndex < 0 && !box.querySelector("a, button"))
  .map((box) => box.outerHTML.slice(0, 80))`;

/** @returns targets smaller than 44 pixels (WCAG 2.2, 2.5.5); a checkbox includes its label */
export const SMALL_TARGETS = `[...document.querySelectorAll("button, select, input:not([type=hidden]), summary, nav a, .button")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && (one.closest("label, .switch") ?? one).getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 120))`;
