import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CHANNELS } from "../../src/commands/channels-and-job-kinds";
import { events } from "../../src/database/schema";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { disableReceiver } from "../../src/deliveries/receivers";
import { renderRemoteHtml, storeRemoteKomment } from "../../src/komments/remote-komments";
import { noticesChannel } from "../../src/notices/notices-channel";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { livePost } from "../../src/posts/reading/finding-posts";
import { addWebhook, listWebhooks } from "../../src/webhooks/webhook-urls";
import { PASSWORD, startOwned } from "../admin/owner";
import { write } from "../komments/forms";
import { callPlaten } from "../support/command";
import { browserAt } from "../support/cookie-browser";
import { mailServer, refuse } from "../support/mail-server";
import { DAY, HOUR, MINUTE } from "../support/platen";
import { temporaryFolder } from "../support/temporary";

const ADA = "ada@example.com";

const OLD_BLOG = `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Old</title><link>http://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<item><title>Cake</title><content:encoded>Cake</content:encoded><wp:post_id>1</wp:post_id>
<wp:post_date_gmt>2019-05-02 10:00:00</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
<wp:comment><wp:comment_id>1</wp:comment_id><wp:comment_author>Kim</wp:comment_author>
<wp:comment_date_gmt>2019-05-03 10:00:00</wp:comment_date_gmt><wp:comment_content>Old.</wp:comment_content>
<wp:comment_approved>1</wp:comment_approved></wp:comment></item></channel></rss>`;

/** A signed-in owner, a relay, and a loop that tests step by hand. */
async function startNotices() {
  const { relay, received, answers } = await mailServer();
  const owned = await startOwned({ relay });
  const { platen } = owned;
  const loop = deliveryLoop(platen, CHANNELS, guardedClient(platen.config));
  const step = async () => {
    const next = noticesChannel.recordDue?.(platen);
    await loop.step();
    return next;
  };
  await step();
  received.length = 0;
  await owned.api("POST", "/posts", { post: { title: "Tea", status: "published" } });
  const komment = (text: string, name = "Alan") => write(owned, { name, text });
  return { ...owned, received, answers, step, komment };
}

describe("notices of komments", () => {
  test("are sent at once, those of the next minute together", async () => {
    const { received, step, komment, pass } = await startNotices();
    await komment("Lovely & green.");
    await step();
    expect(received).toMatchObject([{ to: [ADA], headers: expect.stringContaining("1 new komment on Ada") }]);
    expect(received[0]?.text).toContain("> Lovely & green.");
    expect(received[0]?.text).toContain("http://blog.test/admin/blogs/ada/komments");
    expect(received[0]?.html).toContain("Lovely &amp; green.");
    await komment("Second.");
    await komment("Third.", "Grace");
    await step();
    expect(received).toHaveLength(1);
    pass(MINUTE);
    await step();
    expect(received).toHaveLength(2);
    expect(received[1]?.text).toMatch(
      /Alan on Tea\n> Second\.\nhttp:\S+\/ada\/komments\/2\n\nGrace on Tea\n> Third\.\nhttp:\S+\/3\n/,
    );
    pass(DAY);
    await step();
    expect(received).toHaveLength(2);
  });

  test("do not list imported komments", async () => {
    const { platen, received, step, komment, pass } = await startNotices();
    const file = join(temporaryFolder("old blog"), "old.xml");
    await Bun.write(file, OLD_BLOG);
    const { data } = platen.config;
    const imported = await callPlaten(["import", "wordpress", file, "--blog", "ada", "--data", data]);
    expect(imported.stdout).toContain("1 komment");
    await step();
    expect(received).toEqual([]);
    await komment("New.");
    pass(MINUTE);
    await step();
    expect(received).toMatchObject([{ headers: expect.stringContaining("1 new komment on Ada") }]);
    expect(received[0]?.text).toContain("> New.");
  });

  test("link to each komment if they are on two blogs", async () => {
    const at = await startNotices();
    const { id } = at.newBlog({ title: "Second", slug: "second" });
    await at.api("POST", "/posts", { blog_id: id, post: { title: "Cake", status: "published" } });
    await at.komment("One.");
    await write(at, { name: "Grace", text: "Two." }, "/@second/komments/cake");
    await at.step();
    expect(at.received[0]?.headers).toContain("2 new komments on your blogs");
    expect(at.received[0]?.text).toMatch(/> One\.\nhttp:\S+\/ada\/komments\/1\n/);
    expect(at.received[0]?.text).toMatch(/> Two\.\nhttp:\S+\/second\/komments\/2\n/);
  });

  test("quote the text of a reply from another server, not its HTML", async () => {
    const { platen, received, step } = await startNotices();
    const post = livePost(platen, 1);
    const rendered = await renderRemoteHtml("<p>Which <em>tea</em>?</p><script>1</script>", "social.example");
    if (!post || !rendered) throw new Error("no post");
    const origin = {
      origin: "fediverse" as const,
      originUri: "https://a.example/1",
      originUrl: "",
      html: "",
    };
    storeRemoteKomment(platen, post, { ...origin, name: "Bob", handle: "@bob@a.example", url: "" }, rendered);
    await step();
    expect(received[0]?.text).toContain("Bob on Tea\n> Which tea?\nhttp");
  });

  test("of hundreds of long komments do not block the server", async () => {
    const { platen, received, step } = await startNotices();
    const post = livePost(platen, 1);
    if (!post) throw new Error("no post");
    const rendered = { source: "", html: "<p>&lt;a</p>".repeat(8000) };
    const person = {
      origin: "fediverse" as const,
      originUrl: "",
      name: "Eve",
      handle: "",
      url: "",
      html: "",
    };
    for (let number = 0; number < 400; number++)
      storeRemoteKomment(platen, post, { ...person, originUri: `https://a.example/${number}` }, rendered);
    const began = performance.now();
    await step();
    expect(performance.now() - began).toBeLessThan(2000);
    expect(received[0]?.text).toContain("… and 390 more");
  });

  test("are sent hourly or never, as the person chose", async () => {
    const { browser, received, step, komment, pass } = await startNotices();
    const choose = (readers: string) =>
      browser.post("/admin/account", { do: "notices", readers, signIns: "on" });
    await choose("hourly");
    await komment("One.");
    await step();
    await komment("Two.");
    await step();
    expect(received).toHaveLength(1);
    pass(HOUR);
    await step();
    expect(received).toHaveLength(2);
    await choose("off");
    await komment("Three.");
    pass(DAY);
    await step();
    expect(received).toHaveLength(2);
    expect((await choose("sometimes")).status).toBe(400);
  });

  test("wait 5 minutes if the relay returns 4xx, an hour if it rejects the login", async () => {
    const { received, answers, step, komment, pass } = await startNotices();
    answers.recipient = () => refuse(451, "later");
    await komment("One.");
    await step();
    pass(5 * MINUTE - 1);
    await step();
    answers.recipient = undefined;
    expect(received).toHaveLength(0);
    pass(1);
    await step();
    expect(received).toHaveLength(1);
  });
});

describe("a forgotten password", () => {
  async function startWithForgottenPassword() {
    const at = await startNotices();
    const reader = browserAt(at.platen.config.url, at.fetch);
    const ask = async (email: string) => {
      const token = /name="token" value="([^"]+)"/.exec(
        await (await reader.get("/auth/forgot-password")).text(),
      );
      const answer = await reader.post("/auth/forgot-password", { token: token?.[1] ?? "", email });
      return [answer.status, (await answer.text()).replace(/name="token" value="[^"]+"/, "")];
    };
    const link = () =>
      /http:\/\/blog\.test(\/auth\/new-password\/\S+)/.exec(at.received.at(-1)?.text ?? "")?.[1] ?? "";
    const set = async (path: string, password: string) => {
      const token = /name="token" value="([^"]+)"/.exec(await (await reader.get(path)).text());
      return await reader.post(path, { token: token?.[1] ?? "", password });
    };
    return { ...at, reader, ask, link, set };
  }

  test("is reset by a link that works once and ends all sessions", async () => {
    const { browser, received, step, ask, link, set, reader } = await startWithForgottenPassword();
    await ask(" ADA@example.com ");
    await step();
    expect(received).toMatchObject([{ to: [ADA] }]);
    const path = link();
    expect((await set(path, "short")).status).toBe(422);
    expect((await browser.get("/admin/account")).status).toBe(200);
    const done = (await set(path, "an entirely new one")).headers.get("location") ?? "";
    expect(await (await reader.get(done)).text()).toContain("Your new password is saved. Sign in with it.");
    expect((await browser.get("/admin/account")).status).toBe(303);
    expect((await reader.get(path)).status).toBe(403);
    await step();
    expect(received.at(-1)?.headers).toContain("Your password was changed");
    const signIn = await browser.post("/auth/sign-in", { email: ADA, password: "an entirely new one" });
    expect(signIn.status).toBe(303);
  });

  test("gets the same response for unknown addresses, which are not stored", async () => {
    const { received, step, ask, platen } = await startWithForgottenPassword();
    const unknown = await ask("nobody@example.com");
    expect(await ask(ADA)).toEqual(unknown);
    await step();
    expect(received).toHaveLength(1);
    const payloads = platen.db.select({ payload: events.payload }).from(events).all();
    expect(payloads.filter(({ payload }) => payload.includes("nobody"))).toEqual([]);
  });

  test("has a link for 30 minutes, which a newer one replaces", async () => {
    const { step, ask, link, reader, pass } = await startWithForgottenPassword();
    await ask(ADA);
    await step();
    const first = link();
    await ask(ADA);
    await step();
    expect((await reader.get(first)).status).toBe(403);
    expect((await reader.get(link())).status).toBe(200);
    pass(30 * MINUTE);
    expect((await reader.get(link())).status).toBe(403);
  });

  test("sends at most 3 mails an hour to an address", async () => {
    const { received, step, ask } = await startWithForgottenPassword();
    for (let count = 0; count < 5; count++) await ask(ADA);
    await step();
    expect(received).toHaveLength(3);
  });
});

test("without a relay, the page shows the command to type", async () => {
  const { platen, fetch, browser } = await startOwned();
  const page = await (await fetch("/auth/forgot-password")).text();
  expect(page).toContain("platen account password --email");
  expect(await (await fetch("/auth/sign-in")).text()).toContain("Forgot your password?");
  expect(await (await browser.get("/admin/account")).text()).not.toContain("E-mails to you");
  expect(noticesChannel.recordDue?.(platen)).toBe(Number.POSITIVE_INFINITY);
  expect(await platen.db.$count(events)).toBe(0);
});

test("a sign-in from a new browser and a changed e-mail address are mailed, the latter to the old address", async () => {
  const { browser, received, step, platen, fetch } = await startNotices();
  const other = browserAt(platen.config.url, fetch);
  await other.post("/auth/sign-in", { email: ADA, password: PASSWORD });
  await step();
  expect(received).toMatchObject([{ to: [ADA], headers: expect.stringContaining("New sign-in") }]);
  await other.post("/auth/sign-in", { email: ADA, password: PASSWORD });
  await step();
  expect(received).toHaveLength(1);
  await browser.post("/admin/account", { do: "profile", name: "Ada", email: "countess@example.com" });
  await step();
  expect(received[1]).toMatchObject({ to: [ADA], text: expect.stringContaining("countess@example.com") });
});

test("a webhook that was turned off is mailed to the owner once", async () => {
  const { platen, blog, received, step, pass } = await startNotices();
  addWebhook(platen, blog, "https://hooks.example/a");
  await step();
  pass(MINUTE);
  const [webhook] = listWebhooks(platen);
  disableReceiver(platen, webhook?.id as number, platen.now(), "The response was 410 Gone.");
  for (let count = 0; count < 3; count++) {
    pass(MINUTE);
    await step();
  }
  expect(received).toHaveLength(1);
  expect(received[0]?.text).toContain("Ada's Blog: https://hooks.example/a: The response was 410 Gone.");
  expect(received[0]?.text).toContain("http://blog.test/admin/blogs/ada/webhooks");
});
