import { describe, expect, test } from "bun:test";
import { blogById } from "../../src/blogs/blogs";
import { issueOfPost } from "../../src/newsletter/issue-scheduling-and-log";
import { newsletterOf } from "../../src/newsletter/newsletter-settings";
import { subscriberWithAddress } from "../../src/newsletter/subscribers";
import { postAtSlug } from "../../src/posts/reading/finding-posts";
import { formIn, pressButton, send } from "../admin/editor/post-form";
import { signIn, startOwned } from "../admin/owner";
import { callPlaten } from "../support/command";
import { mailServer, refuse } from "../support/mail-server";
import { DAY } from "../support/platen";
import { startNewsletter } from "./newsletters";

const REACH = "/admin/blogs/ada/reach";

test("the newsletter is turned on with a test mail, and stays off if the relay rejects it", async () => {
  const relay = await mailServer();
  const at = await startOwned({ relay: relay.relay });
  const settings = () => newsletterOf(blogById(at.platen, at.blog.id) as never);
  relay.answers.recipient = () => refuse(550, "5.1.1 no such user");
  const refused = await at.browser.post(`${REACH}/newsletter`, { newsletter: "on", sends: "each" });
  expect([refused.status, settings()]).toEqual([422, null]);
  expect(await refused.text()).toContain("5.1.1 no such user");
  relay.answers.recipient = undefined;
  await at.browser.post(`${REACH}/newsletter`, { newsletter: "on", sends: "ticked" });
  expect(settings()).toEqual({ sends: "ticked" });
  expect(relay.received).toHaveLength(1);
});

test("the API and the command send a test mail too before they turn it on", async () => {
  const { relay, answers } = await mailServer();
  const at = await startOwned({ relay });
  const isOn = () => newsletterOf(blogById(at.platen, at.blog.id) as never) !== null;
  const says = "stays off, because the test e-mail was not sent: the relay refused the address";
  const turnOn = () => at.api("PATCH", "/blogs/1/reach", { reach: { newsletter: true } });
  answers.recipient = () => refuse(550, "5.1.1 no such user");
  const refused = await turnOn();
  expect([refused.status, refused.body.errors.newsletter[0], isOn()]).toEqual([
    ...[422, expect.stringContaining(says), false],
  ]);
  const env = { PLATEN_SMTP_URL: `smtp://127.0.0.1:${relay.port}`, PLATEN_MAIL_FROM: "blog@example.com" };
  const command = ["reach", "set", "--blog", "ada", "--newsletter", "on", "--data", at.platen.config.data];
  const ended = await callPlaten(command, { env });
  expect([ended.code, ended.stderr, isOn()]).toEqual([1, expect.stringContaining(says), false]);
  answers.recipient = undefined;
  expect((await turnOn()).status).toBe(200);
  expect(isOn()).toBe(true);
});

test("the owner adds, finds and removes subscribers, edits a subject, and sees the mail", async () => {
  const relay = await mailServer();
  const at = await startOwned({ relay: relay.relay });
  await at.browser.post(`${REACH}/newsletter`, { newsletter: "on", sends: "each" });
  await at.browser.post(`${REACH}/subscribers`, { do: "add", address: "One@Example.com" });
  const list = await (await at.browser.get(`${REACH}/subscribers?search=ONE@`)).text();
  expect(list).toContain("one@example.com");
  const { body } = await at.api("POST", "/posts", {
    post: { title: "Hello", content: "<p>Hi.</p>", status: "published" },
  });
  const page = `${REACH}/posts/${body.post.id}`;
  await at.browser.post(page, { do: "save", subject: "Read me", preview: "" });
  expect(issueOfPost(at.platen, body.post.id)?.subject).toBe("Read me");
  await at.browser.post(page, { do: "test", subject: "Read me", preview: "" });
  expect(relay.received.at(-1)?.headers).toContain("Subject: Test: Read me");
  expect(await (await at.browser.get(`${page}/mail`)).text()).toContain("Hi.");
  expect((await at.browser.get(page)).status).toBe(200);
  const id = subscriberWithAddress(at.platen, at.blog, "one@example.com")?.id;
  await at.browser.post(`${REACH}/subscribers`, { remove: String(id), sure: "yes" });
  expect(subscriberWithAddress(at.platen, at.blog, "one@example.com")).toBeUndefined();
});

test("the owner sends an old post, sees who did not get it, and cancels a mail that waits", async () => {
  const at = await startNewsletter({ newsletterDelay: 0 });
  const browser = await signIn(at, at.account);
  at.add("gone@example.com");
  at.relay.answers.recipient = () => refuse(550, "5.1.1 no such user");
  const published_at = new Date(at.platen.now().getTime() - 30 * DAY).toISOString();
  const id = await at.publish({ title: "Old", published_at });
  await at.send();
  expect(issueOfPost(at.platen, id)).toBeUndefined();
  await browser.post(`${REACH}/posts/${id}`, { do: "send", subject: "", preview: "" });
  await at.send();
  const page = `${REACH}/issues/${issueOfPost(at.platen, id)?.id}`;
  const log = await (await browser.get(page)).text();
  expect(log).toContain("gone@example.com");
  expect(log).toContain("5.1.1 no such user");
  const [, delivery = ""] = /name="again" value="(\d+)"/.exec(log) ?? [];
  at.relay.answers.recipient = undefined;
  await browser.post(page, { again: delivery });
  await at.send();
  expect(at.relay.received.map(({ to }) => to[0])).toEqual(["gone@example.com"]);
  const later = await at.publish({ title: "Later" });
  at.setMode("weekly");
  await at.send();
  const waiting = issueOfPost(at.platen, later);
  await browser.post(`${REACH}/issues/${waiting?.digestId ?? waiting?.id}`, { do: "cancel" });
  expect(issueOfPost(at.platen, later)?.state).toBe("cancelled");
});

test("the editor's checkbox decides, and the sheet after publishing shows when the mail is sent", async () => {
  const relay = await mailServer();
  const at = await startOwned({ relay: relay.relay });
  await at.browser.post(`${REACH}/newsletter`, { newsletter: "on", sends: "each" });
  const editor = await (await at.browser.get("/admin/blogs/ada/posts/new")).text();
  expect(editor).toMatch(/value="newsletter" checked/);
  const { body } = await at.api("POST", "/posts", { post: { title: "Hello", content: "<p>Hi.</p>" } });
  const path = `/admin/blogs/ada/posts/${body.post.id}`;
  await pressButton(at.browser, path, "publish");
  expect(await (await at.browser.get(path)).text()).toContain("in 15 minutes, 0 subscribers");
  await pressButton(at.browser, path, "save", { switch: [] });
  expect(postAtSlug(at.platen, at.blog, "hello")?.reach).toEqual({ newsletter: false });
});

describe("the newsletter's checkbox of a post dated more than 7 days ago", () => {
  const WHY = "Not sent by default, because the post is dated more than 7 days ago.";
  async function startWithOldPost(post: Record<string, unknown>) {
    const at = await startNewsletter({ newsletterDelay: 0 });
    at.add("one@example.com");
    const browser = await signIn(at, at.account);
    const { id } = (await at.api("POST", "/posts", { post: { title: "Old", ...post } })).body.post;
    await at.send();
    const path = `/admin/blogs/ada/posts/${id}`;
    const panel = async () => await (await browser.get(path)).text();
    return { at, browser, path, panel, sent: () => at.relay.received.length };
  }

  test("is not selected, and a save without it changes nothing", async () => {
    const { at, browser, path, panel } = await startWithOldPost({
      status: "published",
      published_at: "2026-02-01T00:00:00Z",
    });
    expect(await panel()).toContain(WHY);
    expect(await panel()).not.toMatch(/value="newsletter" checked/);
    const updatedAt = () => postAtSlug(at.platen, at.blog, "old")?.updatedAt;
    const before = updatedAt();
    at.pass(DAY);
    await pressButton(browser, path, "save");
    expect(updatedAt()).toEqual(before as Date);
  });

  test("sends the post if the owner selects it, for a live post and a draft", async () => {
    for (const [status, action] of [
      ["published", "save"],
      ["draft", "publish"],
    ] as const) {
      const old = await startWithOldPost({ status, published_at: "2026-02-01T00:00:00Z" });
      await pressButton(old.browser, old.path, action, { override: "newsletter" });
      expect(await old.panel()).toMatch(/name="switch" value="newsletter" checked/);
      await old.at.send();
      expect(old.sent()).toBe(1);
    }
  });

  test("does not send a draft that is published without it, and the sheet does not say so", async () => {
    const old = await startWithOldPost({ published_at: "2026-02-01T00:00:00Z" });
    await pressButton(old.browser, old.path, "publish");
    const sheet = await old.panel();
    expect(sheet).toContain("Site and feeds");
    expect(sheet).not.toContain("1 subscriber");
    await old.at.send();
    expect(old.sent()).toBe(0);
  });

  test("changes with time, but a form that was loaded before can still be saved", async () => {
    const draft = await startWithOldPost({ published_at: "2026-02-27T00:00:00Z" });
    const form = formIn(await draft.panel());
    expect(form.getAll("switch")).toContain("newsletter");
    draft.at.pass(8 * DAY);
    form.set("title", "Older");
    expect((await send(draft.browser, draft.path, "save", form)).status).toBe(303);
    expect(postAtSlug(draft.at.platen, draft.at.blog, "old")?.reach ?? null).toBeNull();
    expect(await draft.panel()).toContain(WHY);
  });
});

test("the newsletter's checkbox is not selected if the post was published without it", async () => {
  const at = await startNewsletter({ newsletterDelay: 0 });
  const browser = await signIn(at, at.account);
  at.add("one@example.com");
  at.setMode(null);
  const id = await at.publish({ title: "Hello" });
  await at.send();
  at.setMode("each");
  const path = `/admin/blogs/ada/posts/${id}`;
  const panel = await (await browser.get(path)).text();
  expect(panel).toContain("Not sent by default, because the post is already published.");
  await pressButton(browser, path, "save", { override: "newsletter" });
  await at.send();
  expect(at.relay.received).toHaveLength(1);
  const other = await at.publish({ title: "Other" });
  expect(await (await browser.get(`/admin/blogs/ada/posts/${other}`)).text()).toMatch(
    /value="newsletter" checked/,
  );
});

test("a channel turned on while a form is open sends its post by default", async () => {
  const relay = await mailServer();
  const at = await startOwned({ relay: relay.relay });
  const { body } = await at.api("POST", "/posts", { post: { title: "Hello", content: "<p>Hi.</p>" } });
  const path = `/admin/blogs/ada/posts/${body.post.id}`;
  const form = formIn(await (await at.browser.get(path)).text());
  await at.browser.post(`${REACH}/newsletter`, { newsletter: "on", sends: "each" });
  await send(at.browser, path, "publish", form);
  expect(postAtSlug(at.platen, at.blog, "hello")?.reach ?? null).toBeNull();
  expect(issueOfPost(at.platen, body.post.id)).toBeUndefined();
  expect(await (await at.browser.get(path)).text()).toMatch(/value="newsletter" checked/);
});

test("a CSV file of subscribers is imported if they agreed", async () => {
  const { relay } = await mailServer();
  const at = await startOwned({ relay });
  const importFile = async (text: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set("file", new File([text], "list.csv", { type: "text/csv" }));
    const headers = { origin: at.platen.config.url };
    const sent = await at.browser.send(`${REACH}/subscribers/import`, { method: "POST", headers, body });
    return [sent.status, await (await at.browser.get(`${REACH}/subscribers`)).text()] as const;
  };
  const list = "email\none@example.com\ntwo@example.com\n";
  const [rejected, before] = await importFile(list, {});
  expect([rejected, before.includes("one@example.com")]).toEqual([400, false]);
  const [status, page] = await importFile(list, { agreed: "yes" });
  expect([status, page.includes("one@example.com")]).toEqual([303, true]);
  expect(page).toContain("2 subscribers added.");
  const [, wrong] = await importFile("name\nAda\n", { agreed: "yes" });
  expect(wrong).toContain("The file cannot be read. The file has no column &quot;email&quot;.");
});
