import { expect, test } from "bun:test";
import { events, messages } from "../../src/database/schema";
import { page, post, submit, ticketIn, WORDS, write } from "../komments/forms";
import { HOUR, MINUTE, SECOND, startPlaten, type TestPlaten } from "../support/platen";

const inbox = (at: TestPlaten) => at.platen.db.select().from(messages).all();
const createPageWithForm = (at: TestPlaten, fields: Record<string, unknown> = {}) =>
  post(at, { title: "Contact", type: "page", meta: { show_contact_form: true }, ...fields });
const FORM = "/komments/contact/contact";

test("a message from a page with the contact form is in the inbox only", async () => {
  const at = startPlaten();
  const { id } = await createPageWithForm(at);
  expect(await page(at, "/contact")).toContain(`href="${FORM}"`);
  const answer = await write(at, { address: "grace@example.com", text: "Hello,\r\nAda!" }, FORM);
  expect(answer.status).toBe(303);
  const thanks = await at.fetch(answer.headers.get("location") as string);
  expect([thanks.status, await thanks.text()]).toEqual([
    200,
    expect.stringContaining("Your message was sent to Ada."),
  ]);
  expect(inbox(at)).toMatchObject([
    {
      blogId: 1,
      postId: id,
      name: "Grace",
      address: "grace@example.com",
      text: "Hello,\nAda!",
      status: "waiting",
    },
  ]);
  expect(await page(at, "/contact")).not.toContain("Grace");
});

test("posts can have the form too; without the flag, or before publication, they have none", async () => {
  const at = startPlaten();
  await post(at, { meta: { show_contact_form: true } });
  await post(at, { title: "Milk" });
  await createPageWithForm(at, { title: "Draft", status: "draft" });
  expect((await at.fetch("/komments/tea/contact")).status).toBe(200);
  for (const slug of ["milk", "draft"]) {
    expect((await at.fetch(`/komments/${slug}/contact`)).status).toBe(404);
    expect(await page(at, `/${slug}`)).not.toContain("/contact");
  }
});

test("name and text are required; errors are shown at their fields", async () => {
  const at = startPlaten();
  await createPageWithForm(at);
  const answer = await write(at, { name: "", text: "Kept" }, FORM);
  expect(answer.status).toBe(422);
  const shown = await answer.text();
  expect(shown).toContain("Name must not be empty.");
  expect(shown).toContain("Kept</textarea>");
  expect((await write(at, { text: "x".repeat(5001) }, FORM)).status).toBe(422);
  expect(inbox(at)).toEqual([]);
});

test("a filled honeypot, and a form that is too fast, from another site or without a ticket, are not stored", async () => {
  const at = startPlaten();
  await createPageWithForm(at);
  expect((await write(at, { subject: "Cheap" }, FORM)).headers.get("location")).toBe(`${FORM}/thanks`);
  expect((await write(at, {}, FORM, { origin: "http://evil.test" })).status).toBe(403);
  const ticket = ticketIn(await page(at, FORM));
  at.pass(SECOND);
  expect((await submit(at, FORM, { ...WORDS, ticket })).status).toBe(429);
  expect((await submit(at, FORM, WORDS)).status).toBe(422);
  expect(inbox(at)).toEqual([]);
});

test("a client may send ten forms in ten minutes, including komments", async () => {
  const at = startPlaten();
  await createPageWithForm(at);
  const ticket = ticketIn(await page(at, FORM));
  await write(at, {}, "/komments/contact");
  for (let number = 1; number <= 9; number++)
    expect((await submit(at, FORM, { ...WORDS, text: `Message ${number}`, ticket })).status).toBe(303);
  const refused = await submit(at, FORM, { ...WORDS, ticket });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
});

test("the same message sent twice is stored once; an hour later it is stored again", async () => {
  const at = startPlaten();
  await createPageWithForm(at);
  await write(at, {}, FORM);
  await write(at, {}, FORM);
  expect(inbox(at)).toHaveLength(1);
  at.pass(HOUR);
  await write(at, {}, FORM);
  expect(inbox(at)).toHaveLength(2);
});

test("a message is kept after its post is deleted, and sends no webhook event", async () => {
  const at = startPlaten();
  const { id } = await createPageWithForm(at);
  const before = await at.api("GET", `/posts/${id}`);
  const fired = at.platen.db.select().from(events).all().length;
  at.pass(MINUTE);
  await write(at, {}, FORM);
  const after = await at.api("GET", `/posts/${id}`);
  expect([after.headers.get("etag"), after.body]).toEqual([before.headers.get("etag"), before.body]);
  expect(at.platen.db.select().from(events).all()).toHaveLength(fired);
  await at.api("DELETE", `/posts/${id}`);
  expect(inbox(at)).toHaveLength(1);
});

test("a URL with a slash at the end redirects to the one without in one step", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea", meta: { show_contact_form: true } });
  for (const path of ["/komments/tea/contact", "/komments/tea"]) {
    const { status, headers } = await at.fetch(`${path}/?a=1`);
    expect([status, headers.get("location")]).toEqual([308, `http://blog.test${path}?a=1`]);
  }
  expect((await at.fetch("/komments/")).status).toBe(404);
});
