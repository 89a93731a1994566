import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { mf2 } from "microformats-parser";
import { blogs, events, komments } from "../../src/database/schema";
import { showKomment } from "../../src/komments/moderation";
import { DAY, MINUTE, SECOND, startPlaten, type TestPlaten } from "../support/platen";
import { page, post, submit, ticketIn, WORDS, write, writeForLink } from "./forms";

const storedKomments = (at: TestPlaten) => at.platen.db.select().from(komments).all();
const turnModerationOff = (at: TestPlaten) =>
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();

test("a komment is pending and visible by its private link only, until the owner approves it", async () => {
  const at = startPlaten();
  await post(at);
  expect(await page(at, "/tea")).toContain('href="/komments/tea"');
  const { link, thanks } = await writeForLink(at);
  expect(thanks).toContain("Ada will review your komment before it appears");
  expect(link).toMatch(/^http:\/\/blog\.test\/komments\/mine\/[\w-]{43}$/);
  expect(await page(at, link)).toContain("Your komment is awaiting approval by Ada");
  for (const path of ["/tea", "/komments/tea", "/", "/feed.xml"])
    expect(await page(at, path)).not.toContain("Well said");

  showKomment(at.platen, 1);
  expect(await page(at, "/tea")).toContain("<p>Well said.</p>");
  expect(await page(at, link)).toContain("Your komment appears under");
});

test("without moderation, komments are shown at once", async () => {
  const at = startPlaten();
  turnModerationOff(at);
  await post(at);
  const { thanks } = await writeForLink(at);
  expect(thanks).toContain("Your komment appears under");
  expect(await page(at, "/tea")).toContain("Well said.");
});

test("komments are in order, with microformats and times in the blog's time zone", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false, timeZone: "Asia/Tokyo" }).run();
  await post(at);
  await write(at, { text: "First.", address: "grace.example.com" });
  await write(at, { text: "Second.", name: "<b>Eve</b>" });
  const shown = await page(at, "/tea");
  expect(shown.indexOf("First.")).toBeLessThan(shown.indexOf("Second."));
  const { items } = mf2(shown, { baseUrl: "http://blog.test/tea" });
  const entry = items.find((item) => item.type?.includes("h-entry"));
  expect(entry?.properties.name).toEqual(["Tea"]);
  expect(entry?.properties.comment).toMatchObject([
    {
      type: ["h-cite"],
      properties: {
        author: [{ properties: { name: ["Grace"], url: ["https://grace.example.com/"] } }],
        url: ["http://blog.test/tea#komment-1"],
        published: ["2026-03-01T21:00:05+09:00"],
        content: [{ value: "First." }],
      },
    },
    { properties: { author: [{ properties: { name: ["<b>Eve</b>"] } }] } },
  ]);
  expect(shown).toContain(
    '<a class="p-author h-card" rel="nofollow ugc" href="https://grace.example.com/"><bdi>Grace</bdi></a>',
  );
  expect(shown).toContain('<time class="dt-published" datetime="2026-03-01T21:00:05+09:00">');
  expect(shown).toContain("&lt;b&gt;Eve&lt;/b&gt;");
});

test("an e-mail address is shown only to its writer", async () => {
  const at = startPlaten();
  turnModerationOff(at);
  await post(at);
  const { link, thanks } = await writeForLink(at, { address: "grace@example.com" });
  for (const shown of [thanks, await page(at, "/tea"), await page(at, "/komments/tea")])
    expect(shown).not.toContain("grace@");
  expect(await page(at, link)).toContain('value="grace@example.com"');
});

const MARKDOWN: [typed: string, shown: string][] = [
  ["*well* **said**", "<p><em>well</em> <strong>said</strong></p>"],
  ["> so\n\n- a\n- b", "<blockquote>\n<p>so</p>\n</blockquote>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
  ["[x](https://x.example)", '<p><a href="https://x.example" rel="nofollow ugc">x</a></p>'],
  [
    '<a href="https://x.example" rel="me" class="u-url">x</a>',
    '<p><a href="https://x.example" rel="nofollow ugc">x</a></p>',
  ],
  ["[x](javascript:alert(1)) <a>y</a>", "<p>x y</p>"],
  ["[x *y*](&nbsp;java&#8203;script:alert(1))", "<p>x <em>y</em></p>"],
  ["<pre>a<pre>b</pre>c</pre>\n\n<pre>d</pre>", '<pre tabindex="0">abc</pre><pre tabindex="0">d</pre>'],
  ["# Loud", "<p>Loud</p>"],
  ["![cat](https://x.example/cat.png) meow", "<p> meow</p>"],
  ["<b>never closed", "<p><b>never closed</b></p>"],
  ["</div></section></article>end", "end"],
  ["<script>alert(1)</script>after", "after"],
  ["1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>"],
];

test.each(MARKDOWN)("the Markdown %p is sanitized and balanced", async (typed, shown) => {
  const at = startPlaten();
  turnModerationOff(at);
  await post(at);
  await write(at, { text: typed });
  expect(await page(at, "/tea")).toContain(`<div class="e-content prose" dir="auto">${shown}</div>`);
});

const FAULTS: [what: string, fields: Record<string, string>, says: string][] = [
  ["no name", { name: "" }, "Name must not be empty."],
  ["an invisible name", { name: "\u200B \u202E" }, "Name must not be empty."],
  ["a name that is too long", { name: "x".repeat(101) }, "Name must be at most 100 characters."],
  ["no text", { text: " \n " }, "Text must not be empty."],
  ["a text that is too long", { text: "x".repeat(5001) }, "Text must be at most 5000 characters."],
  [
    "only a picture",
    { text: "![](https://x.example/cat.png)" },
    "Text must contain text; images are not shown.",
  ],
  [
    "a script as address",
    { address: "javascript:alert(1)" },
    "Website or e-mail must be like example.com or you@example.com.",
  ],
  [
    "a script after a space as address",
    { address: "\u200Bjavascript:alert(1)" },
    "Website or e-mail must be like example.com or you@example.com.",
  ],
  [
    "a word as address",
    { address: "nowhere" },
    "Website or e-mail must be like example.com or you@example.com.",
  ],
  [
    "an address that is too long",
    { address: `x.example/${"x".repeat(291)}` },
    "must be at most 300 characters.",
  ],
];

test.each(FAULTS)("%s is reported at its field, with the typed text", async (_, fields, says) => {
  const at = startPlaten();
  await post(at);
  const answer = await write(at, { ...fields });
  expect(answer.status).toBe(422);
  const shown = await answer.text();
  const [field] = Object.keys(fields);
  expect(new RegExp(`id="${field}-fault">([^<]+)<`).exec(shown)?.[1]).toEndWith(says);
  const typed = { ...WORDS, ...fields };
  expect(shown).toContain(`>\n${Bun.escapeHTML(typed.text)}</textarea>`);
  expect(storedKomments(at)).toEqual([]);

  at.pass(SECOND);
  expect((await submit(at, "/komments/tea", { ...WORDS, ticket: ticketIn(shown) })).status).toBe(303);
});

test("texts and names may have their full length in any script", async () => {
  const at = startPlaten();
  await post(at);
  expect((await write(at, { name: "x".repeat(100), text: "語".repeat(5000) })).status).toBe(303);
  expect((await write(at, { text: `${"ab\r\n".repeat(1666)}ab` })).status).toBe(303);
});

test("a filled honeypot field gets the usual response, and nothing is stored", async () => {
  const at = startPlaten();
  await post(at);
  const honest = await write(at);
  const trapped = await write(at, { subject: "Cheap watches" });
  const responseShape = async (answer: Response) => {
    const location = answer.headers.get("location") as string;
    const secret = new URL(location, "http://blog.test").searchParams.get("link") as string;
    return [answer.status, location.replace(secret, ""), (await page(at, location)).replaceAll(secret, "")];
  };
  expect(await responseShape(trapped)).toEqual(await responseShape(honest));
  expect(storedKomments(at)).toHaveLength(1);
});

test("forms sent too fast are rejected, and accepted later", async () => {
  const at = startPlaten();
  await post(at);
  const ticket = ticketIn(await page(at, "/komments/tea"));
  at.pass(2 * SECOND);
  const early = await submit(at, "/komments/tea", { ...WORDS, ticket });
  expect([early.status, early.headers.get("retry-after")]).toEqual([429, "1"]);
  const shown = await early.text();
  expect(shown).toContain("Well said.</textarea>");
  expect(ticketIn(shown)).toBe(ticket);
  at.pass(SECOND);
  expect((await submit(at, "/komments/tea", { ...WORDS, ticket })).status).toBe(303);
});

test("a form works for a day; then it is shown again with the typed text", async () => {
  const at = startPlaten();
  await post(at);
  const [fresh, old] = [ticketIn(await page(at, "/komments/tea")), ticketIn(await page(at, "/komments/tea"))];
  at.pass(DAY);
  expect((await submit(at, "/komments/tea", { ...WORDS, ticket: fresh })).status).toBe(303);
  at.pass(SECOND);
  const late = await submit(at, "/komments/tea", { ...WORDS, ticket: old });
  expect(late.status).toBe(422);
  const shown = await late.text();
  expect(shown).toContain("open for too long");
  expect(shown).toContain("Well said.</textarea>");
  at.pass(5 * SECOND);
  expect((await submit(at, "/komments/tea", { ...WORDS, ticket: ticketIn(shown) })).status).toBe(303);
});

test("a forged ticket, none, and one of another post's form are rejected", async () => {
  const at = startPlaten();
  await post(at);
  await post(at, { title: "Milk", meta: { show_contact_form: true } });
  const others = [
    ticketIn(await page(at, "/komments/milk")),
    ticketIn(await page(at, "/komments/milk/contact")),
  ];
  const forged = (others[0] as string).replace(/^\w/, "0");
  at.pass(MINUTE);
  for (const ticket of ["", "x.y.z", forged, ...others])
    expect((await submit(at, "/komments/tea", { ...WORDS, ticket })).status).toBe(422);
  expect(storedKomments(at)).toEqual([]);
});

test("a form sent twice creates one komment; the second one can change the text", async () => {
  const at = startPlaten();
  await post(at);
  const ticket = ticketIn(await page(at, "/komments/tea"));
  at.pass(MINUTE);
  const first = await submit(at, "/komments/tea", { ...WORDS, ticket });
  const again = await submit(at, "/komments/tea", { ...WORDS, ticket });
  expect(again.headers.get("location")).toBe(first.headers.get("location") as string);
  await submit(at, "/komments/tea", { ...WORDS, text: "Better said.", ticket });
  expect(storedKomments(at)).toMatchObject([{ source: "Better said." }]);
});

test("a client may send ten komments in ten minutes; the text of an eleventh is not lost", async () => {
  const at = startPlaten();
  await post(at);
  const ticket = ticketIn(await page(at, "/komments/tea"));
  at.pass(5 * SECOND);
  for (let number = 1; number <= 10; number++)
    expect((await submit(at, "/komments/tea", { ...WORDS, ticket })).status).toBe(303);
  const refused = await submit(at, "/komments/tea", { ...WORDS, text: "The eleventh", ticket });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await refused.text()).toContain("The eleventh</textarea>");
  at.pass(MINUTE);
  expect((await submit(at, "/komments/tea", { ...WORDS, ticket })).status).toBe(303);
});

const SENDERS: [who: string, headers: Record<string, string>, status: number][] = [
  ["a client without headers", {}, 303],
  ["a page of this site", { "sec-fetch-site": "same-origin" }, 303],
  ["a page of this site, known by Origin", { origin: "http://blog.test" }, 303],
  ["another site", { "sec-fetch-site": "cross-site" }, 403],
  [
    "another port or subdomain of this site",
    { "sec-fetch-site": "same-site", origin: "http://blog.test" },
    403,
  ],
  ["another site, known by Origin", { origin: "http://evil.test" }, 403],
];

test.each(SENDERS)("a form sent by %s", async (_, headers, status) => {
  const at = startPlaten();
  await post(at);
  expect((await write(at, {}, "/komments/tea", headers)).status).toBe(status);
  expect(storedKomments(at)).toHaveLength(status === 303 ? 1 : 0);
});

const CLOSED: [what: string, fields: Record<string, unknown>, status: number][] = [
  ["a page", { type: "page" }, 200],
  ["a hidden post", { meta: { hidden: true } }, 200],
  ["a draft", { status: "draft" }, 404],
  ["a scheduled post", { published_at: "2026-03-01T12:01:00Z" }, 404],
  ["an archived post", { status: "archived" }, 404],
  ["a shared draft", { status: "draft", meta: { is_shared: true } }, 404],
  ["a post with komments turned off", { meta: { komments_disabled: true } }, 404],
];

test.each(CLOSED)("the komment form of %s", async (_, fields, status) => {
  const at = startPlaten();
  await post(at, fields);
  expect((await at.fetch("/komments/tea")).status).toBe(status);
  expect(/komments\/tea/.test(await page(at, "/tea"))).toBe(status === 200);
});

test("a blog can close its komments: existing ones stay, and a typed text is not lost", async () => {
  const at = startPlaten();
  turnModerationOff(at);
  await post(at);
  await write(at);
  const ticket = ticketIn(await page(at, "/komments/tea"));
  at.pass(MINUTE);
  at.platen.db.update(blogs).set({ kommentsOpen: false }).run();
  const answer = await submit(at, "/komments/tea", { ...WORDS, text: "Too late", ticket });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("Too late</textarea>");
  expect((await at.fetch("/komments/tea")).status).toBe(404);
  const shown = await page(at, "/tea");
  expect(shown).toContain("Well said.");
  expect(shown).not.toContain("/komments/tea");
  expect(storedKomments(at)).toHaveLength(1);
});

test("komments belong to their blog, below another blog's address or on a custom domain", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();
  const garden = at.newBlog({ title: "Garden", slug: "garden" });
  const shop = at.newBlog({ title: "Shop", slug: "shop", domain: "shop.test" });
  await post(at, { title: "Roses" }, garden.id);
  await post(at, { title: "Spades" }, shop.id);
  expect(await page(at, "/@garden/roses")).toContain('href="/@garden/komments/roses"');
  const { link } = await writeForLink(at, {}, "/@garden/komments/roses");
  expect(link).toStartWith("http://blog.test/@garden/komments/mine/");
  expect(await page(at, link)).toContain("Well said.");
  expect((await at.fetch(link.replace("/@garden", ""))).status).toBe(404);

  const shopLink = (await writeForLink(at, {}, "http://shop.test/komments/spades")).link;
  expect(shopLink).toStartWith("http://shop.test/komments/mine/");
  const moved = await at.fetch("/@shop/komments/spades", { method: "POST" });
  expect([moved.status, moved.headers.get("location")]).toEqual([308, "http://shop.test/komments/spades"]);
  expect((await at.fetch("/komments/roses")).status).toBe(404);
});

test("the old slug of a post redirects to its komment form", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "chai" } });
  const answer = await at.fetch("/komments/tea");
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "/komments/chai"]);
});

test("forms are not cached; wrong paths and methods return an error", async () => {
  const at = startPlaten();
  await post(at);
  const form = await at.fetch("/komments/tea");
  expect(form.headers.get("cache-control")).toBe("no-store");
  expect(form.headers.get("referrer-policy")).toBe("same-origin");
  expect(await form.text()).toContain('<meta name="robots" content="noindex,nofollow">');
  const odd = [
    "/komments/",
    "/komments/nope",
    "/komments/%ff",
    "/komments/tea/thanks",
    "/komments/tea/contact",
  ];
  for (const path of [...odd, "/komments/tea/thanks?link=%3Cb%3E", "/komments/mine/x", "/other/komments/tea"])
    expect([path, (await at.fetch(path)).status]).toEqual([path, 404]);
  const answer = await at.fetch("/komments/tea", { method: "PUT" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  expect((await submit(at, "/komments/tea", { text: "x".repeat(70_000) })).status).toBe(413);
});

test("a komment changes nothing about its post in the API, and sends no webhook event for the post", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const before = await at.api("GET", `/posts/${id}`);
  const fired = at.platen.db.select().from(events).all().length;
  const { link } = await writeForLink(at);
  showKomment(at.platen, 1);
  await submit(at, link, { ...WORDS, text: "Changed.", do: "change" });
  const after = await at.api("GET", `/posts/${id}`);
  expect(after.headers.get("etag")).toBe(before.headers.get("etag") as string);
  expect(after.body).toEqual(before.body);
  expect(at.platen.db.select().from(events).all()).toHaveLength(fired);
});

test("a page gets another ETag when a komment is shown, but not for a pending one", async () => {
  const at = startPlaten();
  await post(at);
  const etag = async () => (await at.fetch("/tea")).headers.get("etag");
  const before = await etag();
  await write(at);
  expect(await etag()).toBe(before);
  showKomment(at.platen, 1);
  expect(await etag()).not.toBe(before);
});

test("komments of a deleted post are hidden; their writers can still delete them", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const { link } = await writeForLink(at);
  await at.api("DELETE", `/posts/${id}`);
  expect((await at.fetch("/komments/tea")).status).toBe(404);
  expect((await submit(at, link, { do: "delete" })).status).toBe(303);
  expect(at.platen.db.select().from(komments).where(eq(komments.postId, id)).all()).toEqual([]);
});

test("code in komments can be scrolled with the keyboard", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();
  await post(at);
  const { link } = await writeForLink(at, { text: "```\ncode\n```" });
  for (const path of ["/tea", link]) expect(await page(at, path)).toContain('<pre tabindex="0"><code>code');
});

test("footnotes in a komment are plain text", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();
  await post(at);
  await write(at, { text: "Well[^1].\n\n[^1]: said so" });
  expect(await page(at, "/tea")).toContain("Well[^1].");
});
