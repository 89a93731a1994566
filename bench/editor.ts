/**
 * Measures the editor in Chromium with a slowed CPU: `bun bench/editor.ts` prints the table for docs/benchmarks.md.
 * The post has 5,000 words and 30 pictures.
 */
import { loadavg } from "node:os";
import { ENTRY_POINTS, type ScriptName } from "../src/owner/scripts/entry-points";
import { signInAt } from "../test/support/admin-tab";
import { startBrowser, type Tab } from "../test/support/browser";
import { uploadForm } from "../test/support/pictures";
import { setUpBlog, startServer } from "../test/support/program";
import { landscape } from "../test/support/scenery";

const WORDS = 5000;
const PICTURES = 30;
const KEYS = 100;
const PAUSE_MS = 150;
const ROUNDS = 5;
const SLOWER = { typing: 4, ready: 6 };
const VIEW = { width: 1280, height: 900, isDark: false };
const PASSWORD = "a long enough one";
const SCRIPTS: ScriptName[] = ["frame", "post-editor", "post-panel", "autosave"];

const NOTE_READY = `new MutationObserver((_, observer) => {
  if (!document.querySelector(".ProseMirror")?.editor) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.readyAfter = performance.now(); }));
}).observe(document, { childList: true, subtree: true });`;

/** requestAnimationFrame is needed, because a browser without a window draws only requested frames. */
const NOTE_KEYS = `window.keyTimes = [];
addEventListener("keydown", ({ timeStamp }) => {
  requestAnimationFrame(() => setTimeout(() => keyTimes.push(performance.now() - timeStamp)));
}, true);`;

const { data, key } = await setUpBlog({ password: PASSWORD });
await using server = await startServer({ data });
await using browser = await startBrowser();
const tab = await browser.newTab();
await signInAt(tab, server.url, "ada@example.com", PASSWORD, VIEW);
const admin = `${server.url}/admin/blogs/ada`;
const long = `${admin}/posts/${await writeLongPost()}`;
await tab.command("Page.addScriptToEvaluateOnNewDocument", { source: NOTE_READY });

const load = loadavg()[0]?.toFixed(1);
const rows = [
  ["typing in the long post, p95, ms", await typing(tab), "≤ 50"],
  ["new post ready, cold cache, ms", await ready(`${admin}/posts/new`, true), "≤ 1,200"],
  ["new post ready, warm cache, ms", await ready(`${admin}/posts/new`, false), "≤ 1,200"],
  ["long post ready, cold cache, ms", await ready(long, true), "≤ 2,000"],
  ["long post ready, warm cache, ms", await ready(long, false), "≤ 2,000"],
  ["scripts of the page with gzip, KB", await scriptSize(), "≤ 160"],
] as const;
console.log(`Load before: ${load}\n\n| What | Measured | Target |\n| :-- | --: | --: |`);
for (const [what, measured, toReach] of rows)
  console.log(`| ${what} | ${Math.round(measured).toLocaleString("en")} | ${toReach} |`);

async function writeLongPost(): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const blocks: string[] = [];
  const words = "the tide went out past the last of the boats and nobody said a word about it".split(" ");
  for (let number = 0; number < PICTURES; number++) {
    const picture = await landscape(1200, 800, ["#27476e", "#f3b27a", "#1d2b3a"], number);
    const body = uploadForm(picture, `picture-${number}.jpg`);
    const answer = await fetch(`${server.url}/api/v1/attachments`, { method: "POST", headers, body });
    blocks.push((await answer.json()).attachment.html);
    const paragraph = Array.from({ length: WORDS / PICTURES / 2 }, (_, at) => words[at % words.length]).join(
      " ",
    );
    blocks.push(`<p>${paragraph}.</p>`, `<p>${paragraph} <em>again</em>.</p>`);
  }
  const answer = await fetch(`${server.url}/api/v1/posts`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Long", content: blocks.join("\n") } }),
  });
  return (await answer.json()).post.id;
}

async function typing(tab: Tab): Promise<number> {
  await tab.open(long, VIEW);
  await tab.until("window.readyAfter");
  await tab.evaluate(`{ const { editor } = document.querySelector(".ProseMirror");
    editor.commands.focus(Math.round(editor.state.doc.content.size / 2)); ${NOTE_KEYS} }`);
  await tab.command("Emulation.setCPUThrottlingRate", { rate: SLOWER.typing });
  for (let number = 0; number < KEYS; number++) {
    const text = number % 6 === 5 ? " " : "e";
    await tab.command("Input.dispatchKeyEvent", { type: "keyDown", text, key: text });
    await tab.command("Input.dispatchKeyEvent", { type: "keyUp", key: text });
    await Bun.sleep(PAUSE_MS);
  }
  await tab.command("Emulation.setCPUThrottlingRate", { rate: 1 });
  const times = await tab.evaluate<number[]>("keyTimes");
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}

async function ready(address: string, isCold: boolean): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (isCold) await tab.command("Network.clearBrowserCache");
    await tab.command("Emulation.setCPUThrottlingRate", { rate: SLOWER.ready });
    await tab.open(address, VIEW);
    await tab.until("window.readyAfter");
    times.push(await tab.evaluate<number>("readyAfter"));
    await tab.command("Emulation.setCPUThrottlingRate", { rate: 1 });
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

async function scriptSize(): Promise<number> {
  const paths = await tab.evaluate<string[]>(`[...document.scripts].map(({ src }) => src).filter(Boolean)`);
  const used = paths.filter((path) =>
    SCRIPTS.some((name) => path.includes(`/${name}.`) && name in ENTRY_POINTS),
  );
  if (used.length !== SCRIPTS.length) throw new Error(`The page has other scripts: ${paths.join(", ")}`);
  const sizes = await Promise.all(
    used.map(async (path) => Bun.gzipSync(await (await fetch(path)).bytes(), { level: 9 }).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}
