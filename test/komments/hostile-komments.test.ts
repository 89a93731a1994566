import { expect, test } from "bun:test";
import { renderRemoteHtml } from "../../src/komments/remote-komments";
import { writeKomment } from "../../src/komments/writing-and-importing-komments";
import type { Post } from "../../src/posts/post/post";
import { livePost } from "../../src/posts/reading/finding-posts";
import { unpublishPost } from "../../src/posts/writing/saving";
import { HOSTILE_KOMMENTS } from "../support/hostile-texts";
import { HOUR, startPlaten } from "../support/platen";
import { page, post, WORDS, write, writeForLink } from "./forms";

test.each(HOSTILE_KOMMENTS)(
  "a hostile komment, %s, is accepted or rejected at its field, and other requests are served meanwhile",
  async (_, text) => {
    const at = startPlaten();
    await post(at);
    const answer = write(at, { text });
    expect((await at.fetch("/livez")).status).toBe(200);
    const { status } = await answer;
    expect([303, 422]).toContain(status);
    if (status === 422) expect(await (await answer).text()).toMatch(/id="text-fault"|class="fault"/);
  },
);

test("tables, footnotes and reference links are plain text in a komment", async () => {
  const at = startPlaten();
  await post(at);
  const { link } = await writeForLink(at, {
    text: "|a|b|\n|-|-|\n|1|2|\n\n[here][a] and there[^1]\n\n[a]: https://example.org\n\n[^1]: A note",
  });
  const shown = await page(at, link);
  expect(shown).toContain("|1|2|");
  expect(shown).toContain("[here][a] and there[^1]");
  expect(shown).toContain('[a]: <a href="https://example.org"');
});

test("a komment that grows too much when rendered is rejected, one with many short links is not", async () => {
  const at = startPlaten();
  await post(at);
  const refused = await write(at, { text: "a www.a.b ".repeat(500) });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("must render to at most 5 times its size");
  at.pass(HOUR);
  expect((await write(at, { text: "See https://example.org/a-page and *that*. ".repeat(110) })).status).toBe(
    303,
  );
});

test("a komment is rejected if komments were turned off while it was read", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const writing = writeKomment(at.platen, livePost(at.platen, id) as Post, WORDS, "secret");
  unpublishPost(at.platen, { account: at.account }, livePost(at.platen, id) as Post);
  await expect(writing).rejects.toThrow("Komments are closed");
});

/** The sanitizer needs longer than a komment may take. */
const SLOW_HTML = "<b>".repeat(6500);

test("a komment does not wait for slow texts of other servers, nor these for those of new servers", async () => {
  const at = startPlaten();
  await post(at);
  let rendered = 0;
  const render = (html: string, host: string) => renderRemoteHtml(html, host).finally(() => rendered++);
  const flood = Array.from({ length: 8 }, (_, number) => render(SLOW_HTML, `${number}.example`));
  expect((await write(at)).status).toBe(303);
  expect(rendered).toBeLessThan(4);
  // Each text of a new server comes as soon as the previous one is done.
  let isOver = false;
  const last = Promise.all(["<p>One</p>", "<p>Two</p>"].map((html) => render(html, "social.example")));
  const never = flood.map(async (first, number) => {
    for (let more = 0; !isOver && more < 20; more++, await first)
      await render(SLOW_HTML, `${number}-${more}.example`);
  });
  expect((await last).map((text) => text?.html)).toEqual(["<p>One</p>", "<p>Two</p>"]);
  expect(rendered).toBeLessThan(40);
  isOver = true;
  await Promise.all([...flood, ...never]);
}, 120_000);
