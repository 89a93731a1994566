import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { signInAt } from "../../support/admin-tab";
import type { Tab, View } from "../../support/browser";
import { browser, inBrowser, openBrowser } from "../../support/browser-tab";
import { faultsIn } from "../../support/page-faults";
import { picture } from "../../support/pictures";
import { setUpBlog, startServer } from "../../support/program";
import { temporaryFolder } from "../../support/temporary";

const PHONE = { width: 390, height: 844, isDark: true };
const DESKTOP = { width: 1280, height: 900, isDark: false };
const PASSWORD = "a long enough one";
const EMAIL = "ada@example.com";

/** Shortens the page's waits: text is stored after two seconds, and failed requests are repeated after five. */
const HASTE = 10;

openBrowser("unsaved texts in the browser");

const keyHeader = (key: string) => ({ authorization: `Bearer ${key}` });

/** A new server, and a tab that is signed in to its admin. */
async function startEditing(view: View) {
  const { data, key } = await setUpBlog({ password: PASSWORD });
  const tab = await browser.newTab();
  await tab.hurry(HASTE);
  const server = await startServer({ data });
  const posts = async () => {
    const list = `${server.url}/api/v1/posts?status=all&include_content=true`;
    return (await (await fetch(list, { headers: keyHeader(key) })).json()).posts;
  };
  await signInAt(tab, server.url, EMAIL, PASSWORD, view);
  return { server, tab, posts, key };
}

const showsText = (tab: Tab, words: string) =>
  tab.until(`document.querySelector("[data-saved]")?.textContent.includes(${JSON.stringify(words)})`);
const press = (name: string) =>
  `[...document.querySelectorAll("button")].find((one) => one.textContent.trim() === "${name}" && one.checkVisibility()).click()`;
const writeInPage = async (tab: Tab, words: string) => {
  await tab.evaluate(`document.querySelector(".ProseMirror").focus()`);
  await tab.evaluate(`document.querySelector(".ProseMirror").editor.commands.focus("end")`);
  await tab.type(words);
};
const content = (tab: Tab) => tab.evaluate<string>(`document.querySelector("#content").value`);
const storedItems = (tab: Tab) => tab.evaluate<number>(`Object.keys(localStorage).length`);

inBrowser("a reload before the last words are sent loses nothing", async () => {
  const { data } = await setUpBlog({ password: PASSWORD });
  const tab = await browser.newTab();
  await using server = await startServer({ data });
  await signInAt(tab, server.url, EMAIL, PASSWORD, PHONE);
  await tab.open(`${server.url}/admin/blogs/ada/posts/new`, PHONE);
  await tab.type("A walk");
  await writeInPage(tab, "One.");
  await showsText(tab, "Autosaved");
  await writeInPage(tab, " Two.");
  // Within two seconds: the page sends its text when it is closed, and the next one shows it.
  await tab.follow("location.reload()");
  await tab.until(`document.querySelector("#content")?.value.includes("Two")`);
  expect(await content(tab)).toBe("<p>One. Two.</p>");
  await tab.follow(press("Publish"));
  await tab.open(`${server.url}/admin/blogs/ada`, PHONE);
  expect(await tab.evaluate("document.body.textContent.includes('Unfinished')")).toBe(false);
});

inBrowser("offline or signed out, the text stays in the browser and is sent later", async () => {
  const { data, key } = await setUpBlog({ password: PASSWORD });
  await using server = await startServer({ data });
  const post = { title: "Tea", content: "<p>One.</p>", status: "published" };
  const sent = await fetch(`${server.url}/api/v1/posts`, {
    method: "POST",
    headers: { ...keyHeader(key), "content-type": "application/json" },
    body: JSON.stringify({ post }),
  });
  const { id } = (await sent.json()).post;
  const tab = await browser.newTab();
  await tab.hurry(HASTE);
  await signInAt(tab, server.url, EMAIL, PASSWORD, DESKTOP);
  const path = `${server.url}/admin/blogs/ada/posts/${id}`;
  await tab.open(path, DESKTOP);
  await tab.setOnline(false);
  await writeInPage(tab, " Two.");
  await showsText(tab, "Saved in this browser only; not sent to the server yet");
  expect(await storedItems(tab)).toBe(1);
  await tab.setOnline(true);
  await tab.until(`document.querySelector("[data-saved]").textContent === "Autosaved"`);
  expect(await storedItems(tab)).toBe(0);
  expect(await tab.evaluate(`document.querySelector("span[data-unsaved]").checkVisibility()`)).toBe(true);
  expect(await faultsIn(tab)).toEqual([]);

  await tab.evaluate(`fetch("/auth/sign-out", { method: "POST", body: new URLSearchParams({
    token: document.querySelector(".who [name=token]").value }) })`);
  await writeInPage(tab, " Three.");
  await showsText(tab, "Signed out. Saved in this browser only;");
  expect(await faultsIn(tab)).toEqual([]);
  const other = await browser.newTab();
  await other.hurry(HASTE);
  await signInAt(other, server.url, EMAIL, PASSWORD, DESKTOP);
  await tab.evaluate(`dispatchEvent(new Event("focus"))`);
  await tab.until(`document.querySelector("[data-saved]").textContent === "Autosaved"`);

  // One account in two tabs: the second to write gets a notice, and both texts.
  await other.open(path, DESKTOP);
  expect(await content(other)).toBe("<p>One. Two. Three.</p>");
  await writeInPage(other, " Four.");
  await other.until(`document.querySelector("[data-saved]").textContent === "Autosaved"`);
  await writeInPage(tab, " Five.");
  await showsText(tab, "another tab");
  await tab.follow(press("Compare"));
  const both = await tab.evaluate<string[]>(
    `[...document.querySelectorAll(".stale textarea")].map(({ value }) => value)`,
  );
  expect(both).toEqual(["<p>One. Two. Three. Five.</p>", "<p>One. Two. Three. Four.</p>"]);
  expect(await faultsIn(tab)).toEqual([]);
  await tab.evaluate(press("All of theirs"));
  expect(await tab.evaluate(`document.querySelectorAll(".stale [value=theirs]:checked").length`)).toBe(1);
  await tab.evaluate(`document.querySelector(".stale [value=both]").click()`);
  await tab.follow(press("Merge"));
  const together = "<p>One. Two. Three. Five.</p><p>One. Two. Three. Four.</p>";
  expect(await content(tab)).toBe(together);
  expect(await storedItems(tab)).toBe(0);
  await tab.follow(press("Publish changes"));
  await tab.open(path, DESKTOP);
  expect(await content(tab)).toBe(together);
  await writeInPage(tab, " Six.");
  await showsText(tab, "Autosaved");
  await tab.evaluate(`window.confirm = (question) => { window.question = question; return false; }`);
  await tab.evaluate(press("Discard changes"));
  expect(await tab.evaluate("question")).toBe("Discard changes? This cannot be undone.");
  await tab.evaluate("window.confirm = () => true");
  await tab.follow(press("Discard changes"));
  expect(await content(tab)).toBe(together);
});

inBrowser("publishing offline keeps the editor, says so, and publishes when online again", async () => {
  const { tab, posts, ...started } = await startEditing(PHONE);
  await using server = started.server;
  await tab.open(`${server.url}/admin/blogs/ada/posts/new`, PHONE);
  await tab.type("A train");
  await writeInPage(tab, "One.");
  await tab.setOnline(false);
  await tab.evaluate(press("Publish"));
  await showsText(tab, "You're offline. Will publish when you're back online.");
  await writeInPage(tab, " Two.");
  expect(await content(tab)).toBe("<p>One. Two.</p>");
  expect(await faultsIn(tab)).toEqual([]);
  expect(await posts()).toEqual([]);
  await tab.setOnline(true);
  await tab.until(`document.querySelector("#toasts")?.textContent.includes("Published.")`);
  expect(await posts()).toMatchObject([{ title: "A train", content: { html: "<p>One. Two.</p>" } }]);
});

inBrowser("a picture that was picked offline is sent when online again", async () => {
  const { tab, ...started } = await startEditing(PHONE);
  await using server = started.server;
  await tab.open(`${server.url}/admin/blogs/ada/posts/new`, PHONE);
  await tab.type("A train");
  await tab.setOnline(false);
  const folder = temporaryFolder("picture");
  writeFileSync(join(folder, "dawn.png"), await picture());
  await tab.pick(".content-field input[type=file]", [join(folder, "dawn.png")]);
  await tab.until(`document.querySelector(".attachment .message")?.textContent.includes("can't be reached")`);
  await tab.setOnline(true);
  await tab.until(`document.querySelector("#content").value.includes("<action-text-attachment")`);
});

inBrowser("publishing a post that was deleted keeps the editor and the text", async () => {
  const { tab, posts, ...started } = await startEditing(PHONE);
  await using server = started.server;
  await tab.open(`${server.url}/admin/blogs/ada/posts/new`, PHONE);
  await tab.type("A walk");
  await writeInPage(tab, "One.");
  await tab.follow(press("Publish"));
  const [{ id }] = await posts();
  const url = `${server.url}/api/v1/posts/${id}`;
  await fetch(url, { method: "DELETE", headers: keyHeader(started.key) });
  await writeInPage(tab, " Two.");
  await tab.evaluate(press("Publish changes"));
  await showsText(tab, "The post was deleted: restore it from the trash");
  expect(await content(tab)).toBe("<p>One. Two.</p>");
  const path = `${server.url}/admin/blogs/ada`;
  await tab.open(`${path}/posts/trash`, PHONE);
  await tab.evaluate(`document.querySelector(".rows li button").click()`);
  await tab.until(`document.body.textContent.includes("“A walk” restored.")`);
  await tab.open(`${path}/posts/${id}`, PHONE);
  await tab.until(`document.querySelector("#content")?.value.includes("Two")`);
});

inBrowser("a save whose response was lost is sent again and saves one post", async () => {
  const { tab, posts, ...started } = await startEditing(DESKTOP);
  await using server = started.server;
  await tab.open(`${server.url}/admin/blogs/ada/posts/new`, DESKTOP);
  await tab.type("A tunnel");
  await writeInPage(tab, "One.");
  // The server receives the form, but the browser gets no response.
  const loseAnswers = `{ const send = fetch; window.fetch = async (to, options) => {
    const answer = await send(to, options);
    if (options?.headers?.accept && !window.lost) { window.lost = true; throw new TypeError("lost"); }
    return answer;
  }; }`;
  await tab.evaluate(loseAnswers);
  await tab.follow(press("Publish"));
  await tab.until(`document.querySelector("#toasts").textContent.includes("Published.")`);
  expect(await posts()).toMatchObject([{ title: "A tunnel", status: "published" }]);
  // The same with an existing post.
  await writeInPage(tab, " Two.");
  await tab.evaluate(loseAnswers);
  await tab.follow(press("Publish changes"));
  await tab.until(`document.querySelector("#toasts").textContent.includes("Changes published.")`);
  expect(await content(tab)).toBe("<p>One. Two.</p>");
});

inBrowser("a rejected text is sent again only by its own post's page", async () => {
  const { data, key } = await setUpBlog({ password: PASSWORD });
  const tab = await browser.newTab();
  await using server = await startServer({ data });
  const sent = await fetch(`${server.url}/api/v1/posts`, {
    method: "POST",
    headers: { ...keyHeader(key), "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Tea", content: "<p>One.</p>" } }),
  });
  const { id } = (await sent.json()).post;
  const admin = "/admin/blogs/ada";
  await signInAt(tab, server.url, EMAIL, PASSWORD, DESKTOP);
  /** Leaves a text in the browser, as a page without a connection does. */
  const storeItem = (of: string, at: number, fields: Record<string, string>) => {
    const left = {
      to: `${admin}/unsaved/${of}`,
      at,
      fields: Object.entries({ content_type: "html", ...fields }),
    };
    return tab.evaluate(
      `localStorage.setItem("platen.unsaved/" + document.body.dataset.account + "/${of}/left", ${JSON.stringify(JSON.stringify(left))})`,
    );
  };
  await storeItem(id, 2, {
    version: "another",
    kept: "stamp-of-it-1",
    title: "Tea",
    content: "<p>Mine.</p>",
  });
  const timesSent = async (number: number) => {
    // Runs in the same queue afterwards.
    const name = `another-post-${number}`;
    await storeItem("new", 1, { new_post: name, kept: name, title: name, content: "<p>New.</p>" });
    await tab.open(`${server.url}${admin}/posts/new`, DESKTOP);
    await tab.until(`localStorage.length === 1`);
    return tab.requests.filter((address) => address.endsWith(`/unsaved/${id}`)).length;
  };
  expect(await timesSent(1)).toBe(1);
  expect(await timesSent(2)).toBe(0);
  await tab.open(`${server.url}${admin}/posts/${id}`, DESKTOP);
  await tab.until(`document.body.textContent.includes("Mine.")`);
});

inBrowser("a rejected save shows its reason: an error, both texts, or sign-in", async () => {
  const { data, key } = await setUpBlog({ password: PASSWORD });
  const tab = await browser.newTab();
  await using server = await startServer({ data });
  const api = async (method: string, path: string, post: Record<string, unknown>) => {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { ...keyHeader(key), "content-type": "application/json" },
      body: JSON.stringify({ post }),
    });
    return (await answer.json()).post;
  };
  const { id } = await api("POST", "/posts", { title: "Tea", content: "<p>One.</p>" });
  await signInAt(tab, server.url, EMAIL, PASSWORD, DESKTOP);
  await tab.open(`${server.url}/admin/blogs/ada/posts/${id}`, DESKTOP);
  await tab.follow(`document.querySelector("button[value=schedule]").click()`);
  expect(await tab.evaluate("document.querySelector('#publish_at-fault').textContent")).toContain(
    "in the future",
  );
  await writeInPage(tab, " Mine.");
  await api("PATCH", `/posts/${id}`, { content: "<p>Theirs.</p>" });
  await tab.follow(press("Save draft"));
  const both = `[...document.querySelectorAll(".stale textarea")].map(({ value }) => value)`;
  expect(await tab.evaluate<string[]>(both)).toEqual(["<p>One. Mine.</p>", "<p>Theirs.</p>"]);
  await tab.evaluate(`fetch("/auth/sign-out", { method: "POST", body: new URLSearchParams({
    token: document.querySelector(".who [name=token]").value }) })`);
  await tab.follow(press("Save draft"));
  expect(await tab.evaluate("location.pathname")).toBe("/auth/sign-in");
  expect(await storedItems(tab)).toBeGreaterThan(0);
});
