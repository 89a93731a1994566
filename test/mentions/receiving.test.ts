import { expect, test } from "bun:test";
import { busy } from "../../src/errors";
import { setSockets } from "../../src/http/requests/call";
import { changeMentionSettings } from "../../src/mentions/mention-settings";
import { workerQueues } from "../../src/worker-queue";
import { MINUTE } from "../support/platen";
import { startSending } from "../support/receiver";
import { afterTest } from "../support/temporary";
import { startSite } from "./site";

async function startMentioned() {
  const at = startSending();
  changeMentionSettings(at.platen, at.blog, { webmention: true });
  const { body } = await at.api("POST", "/posts", {
    post: { title: "Looms", content: "Threads", status: "published" },
  });
  const target = body.post.url as string;
  const mention = async (source: string, to = target) => {
    const form = new URLSearchParams({ source, target: to });
    const { status } = await at.fetch("/webmention", { method: "POST", body: form });
    await at.loop.step();
    return status;
  };
  const approve = () => at.platen.db.$client.run("UPDATE komments SET status = 'shown'");
  const page = async () => await (await at.fetch(new URL(target).pathname)).text();
  const storedKomments = () =>
    at.platen.db.$client.query("SELECT name, status, html, origin, origin_url FROM komments").all() as Record<
      string,
      string
    >[];
  return { ...at, target, mention, approve, page, storedKomments };
}

const reply = (target: string, text: string) => `<article class="h-entry">
<a class="u-in-reply-to" href="${target}">a post</a>
<a class="p-author h-card" href="https://bob.example/">Bob</a>
<div class="e-content">${text}<script>alert(1)</script></div></article>`;

test("a reply becomes a pending komment, follows edits, and is deleted with its page", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  const source = `${site.url}/reply`;
  site.serve("/reply", reply(at.target, "Lovely <b>cloth</b>"));
  expect(await at.mention(source)).toBe(202);
  expect(at.storedKomments()).toMatchObject([
    { name: "Bob", status: "waiting", origin: "webmention", origin_url: source },
  ]);
  expect(await at.page()).not.toContain("Lovely");
  at.approve();
  expect(await at.page()).toContain("Lovely cloth");
  expect(await at.page()).not.toContain("alert(1)");

  site.serve("/reply", reply(at.target, "Dull cloth"));
  await at.mention(source);
  expect(at.storedKomments()).toMatchObject([{ html: expect.stringContaining("Dull cloth") }]);
  site.remove("/reply");
  await at.mention(source);
  expect(at.storedKomments()).toEqual([]);
});

test("likes and reposts are counted under the post, and removed if their page drops the link", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  const entry = (property: string) =>
    `<div class="h-entry"><a class="u-${property}" href="${at.target}">x</a><span class="p-author h-card">Cem</span></div>`;
  site.serve("/like", entry("like-of"));
  site.serve("/repost", entry("repost-of"));
  await at.mention(`${site.url}/like`);
  await at.mention(`${site.url}/repost`);
  expect(await at.page()).toContain("Cem");
  expect(at.storedKomments()).toEqual([]);
  site.serve("/like", "<p>Nothing here any more</p>");
  site.serve("/repost", "<p>Nothing here any more</p>");
  await at.mention(`${site.url}/like`);
  await at.mention(`${site.url}/repost`);
  expect(await at.page()).not.toContain("Cem");
});

test("a URL in plain text or in an HTML comment is not a mention", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  site.serve(
    "/text",
    `<div class="h-entry"><p class="e-content">${at.target}</p><!-- <a href="${at.target}"> --></div>`,
  );
  expect(await at.mention(`${site.url}/text`)).toBe(202);
  expect(at.storedKomments()).toEqual([]);
});

test("the endpoint rejects invalid requests, limits hosts, and returns 404 while off", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  expect(await at.mention("ftp://bob.example/")).toBe(400);
  expect(await at.mention(at.target)).toBe(400);
  expect(await at.mention(`${site.url}/x`, `${at.platen.config.url}/nothing`)).toBe(400);
  expect(await at.mention(`${site.url}/x`, "https://other.example/looms")).toBe(400);
  expect((await at.fetch("/webmention")).status).toBe(404);
  at.pass(MINUTE);
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++) statuses.push(await at.mention(`${site.url}/${count}`));
  expect(statuses).toEqual([...Array(10).fill(202), 429, 429]);
  expect(await at.page()).toContain('<link rel="webmention" href="http');
  changeMentionSettings(at.platen, at.blog, { webmention: false });
  expect(await at.mention(`${site.url}/x`)).toBe(404);
  expect(await at.page()).not.toContain("webmention");
});

test("a post whose slug equals the endpoint's path keeps it", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  await at.api("POST", "/posts", { post: { title: "On webmention", slug: "letters", status: "published" } });
  at.platen.db.$client.run("UPDATE posts SET slug = 'webmention' WHERE slug = 'letters'");
  expect(await at.mention(`${site.url}/x`)).toBe(202);
  expect(await (await at.fetch("/webmention")).text()).toContain("On webmention");
  changeMentionSettings(at.platen, at.blog, { webmention: false });
  expect(await (await at.fetch("/webmention")).text()).toContain("On webmention");
});

test("a source at a private address is not requested", async () => {
  const at = await startMentioned();
  expect(await at.mention("http://127.0.0.2:1/")).toBe(202);
  expect(at.log.join()).toBe("");
  expect(at.storedKomments()).toEqual([]);
});

test("webmention.rocks: accepted, rejected, followed and ignored requests", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  const { url } = site;
  const link = (to: string) => `<p class="h-entry"><a class="u-in-reply-to" href="${to}">a post</a></p>`;
  site.serve("/valid", link(at.target));
  site.serve("/part", link(`${at.target}#threads`));
  site.serve("/other", link("https://other.example/"));
  site.serve("/large", `<p>${"x".repeat(1_000_000)}</p>${link(at.target)}`);
  site.serve("/picture", link(at.target), { "content-type": "image/png" });
  site.serve(
    "/hostile",
    `<div class="h-entry">${link(at.target)}<p class="e-content">
    &lt;script>alert(2)&lt;/script><img src=x onerror=alert(3)></p></div>`,
  );
  site.redirect("/moved", "/valid");
  site.redirect("/loop", "/loop");
  const cases: [name: string, source: string, target: string, status: number, stored: number][] = [
    ["accepts a valid request", `${url}/valid`, at.target, 202, 1],
    ["rejects a malformed source", "a page", at.target, 400, 0],
    ["rejects a malformed target", `${url}/valid`, "a post", 400, 0],
    ["rejects an empty source", "", at.target, 400, 0],
    ["rejects a source equal to the target", at.target, at.target, 400, 0],
    ["rejects an unsupported scheme of the source", "mailto:bob@bob.example", at.target, 400, 0],
    ["rejects an unsupported scheme of the target", `${url}/valid`, "ftp://blog.test/looms", 400, 0],
    ["rejects a target on another site", `${url}/valid`, "https://other.example/looms", 400, 0],
    ["rejects a target that does not exist", `${url}/valid`, "http://blog.test/nothing", 400, 0],
    ["ignores the fragment when it looks for the target", `${url}/part`, `${at.target}#threads`, 202, 1],
    ["follows redirects of the source", `${url}/moved`, at.target, 202, 1],
    ["gives up on endless redirects", `${url}/loop`, at.target, 202, 0],
    ["finds no link in a source that does not link", `${url}/other`, at.target, 202, 0],
    ["reads a source only up to a limit", `${url}/large`, at.target, 202, 0],
    ["ignores a source that is not HTML", `${url}/picture`, at.target, 202, 0],
    ["ignores a source that does not exist", `${url}/missing`, at.target, 202, 0],
    ["escapes HTML of the source", `${url}/hostile`, at.target, 202, 1],
  ];
  for (const [name, source, target, status, stored] of cases) {
    at.pass(MINUTE);
    at.platen.db.$client.run("DELETE FROM komments");
    expect([name, await at.mention(source, target), at.storedKomments().length]).toEqual([
      name,
      status,
      stored,
    ]);
  }
  at.approve();
  expect(await at.page()).toContain("&lt;script>alert(2)&lt;/script>".replaceAll(">", "&gt;"));
  expect(await at.page()).not.toMatch(/<script>alert\(2\)|onerror/);
});

test("a page with a name and URL of a megabyte does not lengthen the post's page", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  const long = "x".repeat(400_000);
  site.serve(
    "/like",
    `<div class="h-entry"><a class="u-like-of" href="${at.target}">x</a><a class="u-url" href="/${long}">y</a>
    <a class="p-author h-card" href="https://cem.example/">Cem ${long}</a><p class="e-content">Hi</p></div>`,
  );
  await at.mention(`${site.url}/like`);
  expect(await at.page()).toContain("Cem xxx");
  expect(await at.page()).toContain(`href="${site.url}/like"`);
  expect((await at.page()).length).toBeLessThan(20_000);
});

test("a sender of many webmentions does not keep those of other networks out", async () => {
  const at = await startMentioned();
  const send = async (number: number, client: string) => {
    at.pass(MINUTE);
    const form = new URLSearchParams({ source: `https://${number}.example/`, target: at.target });
    setSockets(at.platen, { requestIP: () => ({ address: client }) });
    return (await at.fetch("/webmention", { method: "POST", body: form })).status;
  };
  const statuses: number[] = [];
  for (let number = 0; number < 102; number++) statuses.push(await send(number, `203.0.113.${number}`));
  expect(statuses).toEqual([...Array(100).fill(202), 503, 503]);
  expect(await send(200, "198.51.100.7")).toBe(202);
});

test("a mention stays if the server is too busy to read its page again", async () => {
  const [at, site] = [await startMentioned(), startSite()];
  site.serve("/reply", reply(at.target, "Lovely cloth"));
  await at.mention(`${site.url}/reply`);
  const { run } = workerQueues.remote;
  workerQueues.remote.run = () => Promise.reject(busy("The server is busy.", 5));
  afterTest(() => Object.assign(workerQueues.remote, { run }));
  await at.mention(`${site.url}/reply`);
  expect(at.storedKomments()).toHaveLength(1);
});
