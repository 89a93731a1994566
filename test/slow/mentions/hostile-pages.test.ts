import { expect, test } from "bun:test";
import { MEGABYTE } from "../../../src/config/units";
import { changeMentionSettings } from "../../../src/mentions/mention-settings";
import { startSite } from "../../mentions/site";
import { startSending } from "../../support/receiver";

/** The parser copies the text once for each nested element: 3 GB for a page of a megabyte. */
const hostilePage = (target: string) =>
  `<a href="${target}">x</a><div class="h-entry">${'<div class="e-content">'.repeat(3000)}${"a".repeat(900_000)}`;

test("hostile pages that mention a post one after another do not add up in memory", async () => {
  const [at, site] = [startSending(), startSite()];
  changeMentionSettings(at.platen, at.blog, { webmention: true });
  const { body } = await at.api("POST", "/posts", {
    post: { title: "Looms", content: "Threads", status: "published" },
  });
  for (let page = 0; page < 8; page++) {
    site.serve(`/${page}`, hostilePage(body.post.url));
    const form = new URLSearchParams({ source: `${site.url}/${page}`, target: body.post.url });
    expect((await at.fetch("/webmention", { method: "POST", body: form })).status).toBe(202);
  }
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
  await at.loop.step();
  clearInterval(watch);
  expect((most - before) / MEGABYTE).toBeLessThan(350);
}, 120_000);

/** htmlparser2 keeps a stack of open elements, and searches all of it for each end tag: minutes for this page. */
const UNCLOSED = `${"<b>".repeat(150_000)}${"</x>".repeat(130_000)}<a rel="webmention" href="/webmention">`;

test("a hostile page that a post links to neither stops the server nor hides its endpoint", async () => {
  const [at, site] = [startSending(), startSite()];
  changeMentionSettings(at.platen, at.blog, { webmention: true });
  site.serve("/hostile", UNCLOSED);
  const content = `<p><a href="${site.url}/hostile">Odd</a></p>`;
  await at.api("POST", "/posts", { post: { title: "Looms", content, status: "published" } });
  let last = performance.now();
  let longest = 0;
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await at.loop.step();
  clearInterval(watch);
  expect(site.received).toMatchObject([{ target: `${site.url}/hostile` }]);
  expect(longest).toBeLessThan(2000);
}, 120_000);
