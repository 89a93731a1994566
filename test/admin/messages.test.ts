import { expect, test } from "bun:test";
import { messages } from "../../src/database/schema";
import { post, write } from "../komments/forms";
import { startOwned } from "./owner";

const LIST = "/admin/blogs/ada/messages";
const CONTACT = "/komments/tea/contact";

async function startWithMessage() {
  const owned = await startOwned();
  await post(owned, { meta: { show_contact_form: true } });
  await write(owned, { name: "<Eve>", address: "eve@example.com", text: "Hello" }, CONTACT);
  const states = () =>
    owned.platen.db
      .select()
      .from(messages)
      .all()
      .map(({ status }) => status);
  return { owned, states };
}

test("a message is counted as unread, answered by mail, read, rejected, and deleted after a confirmation", async () => {
  const { owned, states } = await startWithMessage();
  const list = await (await owned.browser.get(LIST)).text();
  for (const part of [
    "&lt;Eve&gt;",
    'href="/admin/blogs/ada/posts/1">Tea',
    "mailto:eve%40example.com",
    '1<span class="spoken"> waiting</span>',
  ])
    expect(list).toContain(part);
  await owned.browser.post(LIST, { one: "read 1" });
  expect(states()).toEqual(["read"]);
  await owned.browser.post(LIST, { do: "refuse", id: ["1", "99"] });
  expect(states()).toEqual(["refused"]);
  const confirmation = await owned.browser.post(LIST, { do: "delete", id: "1" });
  expect(await confirmation.text()).toContain("Delete 1 message?");
  expect(states()).toHaveLength(1);
  await owned.browser.post(LIST, { do: "delete", id: "1", sure: "yes" });
  expect(states()).toEqual([]);
});

test("a message with a blocked word is rejected at once", async () => {
  const { owned, states } = await startWithMessage();
  await owned.browser.post("/admin/blogs/ada/komments/blocked", { blocked: "cheap watches" });
  await write(owned, { text: "Cheap watches!" }, CONTACT);
  expect(states()).toEqual(["waiting", "refused"]);
});

test("decisions are rejected for other blogs, other accounts, signed-out browsers and other sites", async () => {
  const { owned, states } = await startWithMessage();
  owned.newBlog({ title: "Garden", slug: "garden" });
  await owned.browser.post("/admin/blogs/garden/messages", { one: "read 1" });
  const stranger = await owned.browserOf(owned.newAccount("eve@example.com"));
  expect((await stranger.get(LIST)).status).toBe(403);
  expect((await stranger.post(LIST, { one: "read 1" })).status).toBe(403);
  const out = await owned.fetch(LIST, { method: "POST", body: new URLSearchParams({ one: "read 1" }) });
  expect(out.headers.get("location")).toStartWith("/auth/sign-in");
  const foreign = await owned.browser.post(LIST, { one: "read 1" }, { "sec-fetch-site": "cross-site" });
  expect(foreign.status).toBe(403);
  expect(states()).toEqual(["waiting"]);
});
