import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { corpus, MENDED, PIECES } from "../../../admin/editor/corpus";
import { type Browser, chromium, startBrowser, type Tab } from "../../../support/browser";
import type { RoundTrip } from "./round-trip-page";

/** The content policy of admin pages. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'";

const BLOCKS =
  `attachment blockquote bookmark bulletList callout codeBlock embed footnotes heading horizontalRule orderedList
  paragraph table taskList toggle`.split(/\s+/);

if (!chromium) console.warn("No Chromium here: what the editor does with a post is not tested.");
const inBrowser = test.skipIf(!chromium);

let browser: Browser;
let tab: Tab;
let server: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  if (!chromium) return;
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "round-trip-page.ts")],
    target: "browser",
  });
  const script = await outputs[0]?.text();
  const pages: Record<string, [type: string, text: string]> = {
    "/": [
      "text/html",
      '<!doctype html><title>x</title><main></main><script type="module" src="/script.js"></script>',
    ],
    "/script.js": ["text/javascript", script ?? ""],
  };
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const [type, text] = pages[new URL(url).pathname] ?? ["text/plain", ""];
      return new Response(text, { headers: { "content-type": type, "content-security-policy": POLICY } });
    },
  });
  browser = await startBrowser();
  tab = await browser.newTab();
  await tab.open(`http://127.0.0.1:${server.port}/`, { width: 800, height: 600, isDark: false });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.stop(true);
});

const roundTrips = (sources: string[]) => tab.evaluate<RoundTrip[]>(`roundTrips(${JSON.stringify(sources)})`);

inBrowser(
  "any content of a post passes through the editor unchanged, and breaks no content policy",
  async () => {
    const sources = corpus();
    expect(sources.length).toBeGreaterThan(300);
    const trips = await roundTrips(sources);
    expect(trips.filter(({ source, untouched }) => untouched !== source)).toEqual([]);
    expect(trips.filter(({ source, takenBack }) => takenBack !== source)).toEqual([]);
    expect(tab.complaints.filter((complaint) => /Policy/.test(complaint))).toEqual([]);
  },
);

inBrowser("content around a change stays byte for byte the same", async () => {
  const trips = await roundTrips(PIECES.filter((piece) => piece !== "" && !MENDED.includes(piece)));
  const changed = trips.filter(({ source, withParagraph }) => withParagraph !== `<p>New.</p>\n${source}`);
  expect(changed).toEqual([]);
});

inBrowser("HTML that the editor knows is editable; other HTML is kept as an island", async () => {
  const trips = await roundTrips(PIECES);
  const islands = trips.flatMap(({ blocks }) => blocks).filter((block) => block.startsWith("island "));
  const names = new Set(islands.map((block) => /^island <(\w+)/.exec(block)?.[1]));
  expect([...names].sort()).toEqual(["aside", "details", "div", "dl", "figure", "script", "section"]);
  const known = new Set(
    trips.flatMap(({ blocks }) => blocks.filter((block) => !block.startsWith("island "))),
  );
  expect([...known].sort()).toEqual(BLOCKS);
});
