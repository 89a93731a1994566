import { expect, test } from "bun:test";
import { blogs, komments } from "../../src/database/schema";
import { refuseKomment, showKomment } from "../../src/komments/moderation";
import { MINUTE, SECOND, startPlaten, type TestPlaten } from "../support/platen";
import { page, post, submit, WORDS, writeForLink } from "./forms";

const source = (at: TestPlaten) => at.platen.db.select().from(komments).get()?.source;
const change = (at: TestPlaten, link: string, fields: Record<string, string>) =>
  submit(at, link, { ...WORDS, ...fields, do: "change" });

async function startWithKomment() {
  const at = startPlaten();
  await post(at);
  const { link } = await writeForLink(at);
  return { at, link };
}

test("the secret is stored as a hash, and only its writer can open the page", async () => {
  const { at, link } = await startWithKomment();
  const secret = link.split("/").at(-1) as string;
  expect(JSON.stringify(at.platen.db.select().from(komments).all())).not.toContain(secret);
  const answer = await at.fetch(link);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.text()).toContain('content="noindex,nofollow"');
  expect((await at.fetch(link.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status).toBe(404);
});

test("the writer can change a komment for 15 minutes", async () => {
  const { at, link } = await startWithKomment();
  at.pass(15 * MINUTE - SECOND);
  expect(await page(at, link)).toContain("Save changes");
  const changed = await change(at, link, { text: "Better *said*." });
  expect([changed.status, changed.headers.get("location")]).toEqual([303, new URL(link).pathname]);
  expect(await page(at, link)).toContain("Better <em>said</em>.");
  expect(at.platen.db.select().from(komments).get()?.editedAt).toEqual(at.platen.now());

  at.pass(SECOND);
  expect(await page(at, link)).not.toContain("Save changes");
  const late = await change(at, link, { text: "Too late." });
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("can no longer be changed");
  expect(source(at)).toBe("Better *said*.");
});

test("an approved komment is pending again after a change", async () => {
  const { at, link } = await startWithKomment();
  showKomment(at.platen, 1);
  expect((await change(at, link, {})).status).toBe(303);
  expect(await page(at, "/tea")).toContain("Well said.");
  await change(at, link, { text: "Buy watches." });
  expect(await page(at, "/tea")).not.toMatch(/Well said|Buy watches/);
  expect(await page(at, link)).toContain("Your komment is awaiting approval by Ada");
});

test("without moderation, a change is shown at once", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();
  await post(at);
  const { link } = await writeForLink(at);
  await change(at, link, { text: "Changed." });
  expect(await page(at, "/tea")).toContain("Changed.");
});

test("an invalid change is reported at its field, with the typed text", async () => {
  const { at, link } = await startWithKomment();
  const answer = await change(at, link, { name: "", text: "Half a change" });
  expect(answer.status).toBe(422);
  const shown = await answer.text();
  expect(shown).toContain("Name must not be empty.");
  expect(shown).toContain("Half a change</textarea>");
  expect(source(at)).toBe("Well said.");
});

test("a rejected komment can only be deleted, and its author sees why", async () => {
  const { at, link } = await startWithKomment();
  refuseKomment(at.platen, 1);
  const shown = await page(at, link);
  expect(shown).toContain("Ada did not approve your komment.");
  expect(shown).not.toContain("Save changes");
  expect((await change(at, link, { text: "Again." })).status).toBe(409);
  expect(await page(at, "/tea")).not.toContain("Well said.");
});

test("the page shows neither the new title nor the URL of a post that is no longer public", async () => {
  const at = startPlaten();
  const { id } = await post(at);
  const { link } = await writeForLink(at);
  showKomment(at.platen, 1);
  const change = async (fields: Record<string, unknown>) =>
    expect((await at.api("PATCH", `/posts/${id}`, { post: fields })).status).toBe(200);
  const isLinkShown = async () => {
    const shown = await page(at, link);
    expect(shown).not.toMatch(/secret/i);
    expect(shown).toContain("no longer public");
  };
  await change({ status: "draft", title: "A Secret", slug: "a-secret" });
  await isLinkShown();
  await change({ status: "published", published_at: new Date(at.platen.now().getTime() + MINUTE) });
  await isLinkShown();
  at.pass(MINUTE);
  expect(await page(at, link)).toContain(">A Secret</a>");
  expect((await at.api("DELETE", `/posts/${id}`)).status).toBeLessThan(300);
  await isLinkShown();
});

test("the writer can delete the komment at any time, only with the form of this site", async () => {
  const { at, link } = await startWithKomment();
  showKomment(at.platen, 1);
  at.pass(400 * 24 * 60 * MINUTE);
  const foreign = await submit(at, link, { do: "delete" }, { origin: "http://evil.test" });
  expect(foreign.status).toBe(403);
  const deleted = await submit(at, link, { do: "delete" });
  expect(deleted.status).toBe(303);
  const last = await at.fetch(deleted.headers.get("location") as string);
  expect(last.status).toBe(200);
  expect(await last.text()).toContain("Your komment has been deleted");
  expect(source(at)).toBeUndefined();
  expect(await page(at, "/tea")).not.toContain("Well said.");
  expect((await at.fetch(link)).status).toBe(404);
});

test("changes count towards the limit of the client", async () => {
  const { at, link } = await startWithKomment();
  const statuses: number[] = [];
  for (let number = 1; number <= 10; number++)
    statuses.push((await change(at, link, { text: `Change ${number}` })).status);
  expect(statuses).toEqual([...Array(9).fill(303), 429]);
});
