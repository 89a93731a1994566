import { describe, expect, test } from "bun:test";
import { events } from "../../../src/database/schema";
import { addWebhook } from "../../../src/webhooks/webhook-urls";
import { startOwned } from "../owner";
import { altsOf, fileNamed, MEDIA, manyFiles, read, STRANGE, upload, words, write } from "./files";

const QUEUE = `${MEDIA}/alt-text`;
const addressIn = (page: string) => /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? "";
const fieldIn = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.slice(page.indexOf("describing")))?.[1] ?? "";

/** Fields of the form on the page of pictures without alt text. */
const fieldsOf = (page: string, more: Record<string, string>) => ({
  post: fieldIn(page, "post"),
  next: fieldIn(page, "next"),
  ...more,
});

describe("the page of pictures without alt text", () => {
  test("shows one picture at a time with the text around it, and how many are left", async () => {
    const owned = await startOwned();
    const [rain, wind] = [await upload(owned, "rain.jpg"), await upload(owned, "wind.jpg")];
    const { id } = await write(owned, {
      title: "Weather",
      content: `<h2>Morning</h2><p>It began early. Then it rained &amp; rained.</p>${rain}<p>Nobody minded. We stayed in.</p>${wind}`,
      alt_text: { "sun.jpg": "The sun" },
    });
    const first = await read(owned, QUEUE);
    expect(first).toContain("wind.jpg");
    expect(words(first)).toContain("2 pictures left");
    expect(words(first)).toMatch(/Weather Draft We stayed in\./);
    const saved = await owned.browser.post(addressIn(first), fieldsOf(first, { alt: "  A  bent tree " }));
    expect(saved.status).toBe(303);
    const second = await read(owned, saved.headers.get("location") ?? "");
    expect(words(second)).toContain("Saved.");
    expect(words(second)).toContain("1 picture left");
    expect(words(second)).toMatch(/Then it rained &amp; rained. Nobody minded. Alt text/);
    const last = await owned.browser.post(addressIn(second), fieldsOf(second, { alt: "", decorative: "1" }));
    expect(words(await read(owned, last.headers.get("location") ?? ""))).toContain(
      "All pictures have alt text",
    );
    expect(await altsOf(owned, id)).toEqual({ "rain.jpg": "", "wind.jpg": "A bent tree" });
    expect(owned.platen.db.$client.query("SELECT alt_text FROM posts").get()).toEqual({
      alt_text: JSON.stringify({ "sun.jpg": "The sun", "wind.jpg": "A bent tree", "rain.jpg": "" }),
    });
  });

  test("lists a picture for each post that shows it without alt text or caption, except posts in the trash", async () => {
    const owned = await startOwned();
    const rain = await upload(owned, "rain.jpg");
    const sea = await upload(owned, "sea.jpg", { "attachment[caption]": "The sea" });
    await write(owned, { title: "One", content: rain + sea });
    await write(owned, { title: "Two", content: rain });
    await write(owned, { title: "Decorated", content: rain, alt_text: { "rain.jpg": "" } });
    const gone = await write(owned, { title: "Gone", content: rain });
    await owned.api("DELETE", `/posts/${gone.id}`);
    const first = await read(owned, QUEUE);
    expect(words(first)).toContain("2 pictures left");
    expect(words(first)).toContain("Two Draft");
    const second = await read(owned, fieldIn(first, "next"));
    expect(words(second)).toContain("One Draft");
    const end = words(await read(owned, fieldIn(second, "next")));
    expect(end).toContain("End of the list You skipped 2 pictures.");
  });

  test("finds an old picture among thousands of files", async () => {
    const owned = await startOwned();
    await write(owned, { title: "Rain", content: await upload(owned, "rain.jpg") });
    manyFiles(owned, 2001);
    expect(await read(owned, QUEUE)).toContain("rain.jpg");
  });
});

describe("an alt text", () => {
  const start = async () => {
    const owned = await startOwned();
    const content = await upload(owned, "rain.jpg");
    const post = { title: "Rain", content, status: "published", alt_text: { "rain.jpg": "Rain" } };
    const { id } = await write(owned, post);
    const path = `${MEDIA}/${fileNamed(owned, "rain.jpg").id}/alt-text`;
    const send = (fields: Record<string, string>, headers?: Record<string, string>) =>
      owned.browser.post(path, { post: String(id), ...fields }, headers);
    return { owned, id, path, send };
  };

  test("is changed in the file, the post and the page", async () => {
    const { owned, id, path, send } = await start();
    const other = await write(owned, { title: "Other", content: await upload(owned, "x.jpg") });
    const page = await read(owned, path.replace("/alt-text", ""));
    expect(page).toContain('name="was" value="Rain"');
    await send({ alt: "Rain on slate", was: "Rain", was_said: "1" });
    expect(await altsOf(owned, id)).toEqual({ "rain.jpg": "Rain on slate" });
    expect(await altsOf(owned, other.id)).toEqual({ "x.jpg": "" });
    expect(await (await owned.fetch("/rain")).text()).toContain('alt="Rain on slate"');
    await send({ alt: "", was: "Rain on slate", was_said: "1" });
    expect(await read(owned, path.replace("/alt-text", ""))).toContain("No alt text yet.");
  });

  test("that somebody else wrote in the meantime is not overwritten", async () => {
    const { owned, id, send } = await start();
    const stale: Record<string, string>[] = [{ alt: "Fog" }, { alt: "Fog", was: "Mist", was_said: "1" }];
    for (const fields of stale) expect((await send(fields)).status).toBe(409);
    expect(await altsOf(owned, id)).toEqual({ "rain.jpg": "Rain" });
  });

  test("of a live post sends a webhook event if it changes", async () => {
    const { owned, send } = await start();
    addWebhook(owned.platen, owned.blog, "https://hooks.example/");
    const recordedEvents = () => owned.platen.db.select().from(events).all();
    await send({ alt: "Rain", was: "Rain", was_said: "1" });
    expect(recordedEvents()).toEqual([]);
    await send({ alt: "Rain on slate", was: "Rain", was_said: "1" });
    expect(recordedEvents().map(({ name }) => name)).toEqual(["post.updated"]);
  });

  test("is rejected from another site, for another blog's post, or if it is too long", async () => {
    const { owned, id, send } = await start();
    const fields = { alt: "Fog", was: "Rain", was_said: "1" };
    for (const headers of STRANGE) expect((await send(fields, headers)).status).toBe(403);
    const eve = owned.newAccount("eve@example.com");
    const theirs = owned.newBlog({ slug: "eves" }, eve);
    owned.platen.db.$client.run(
      "INSERT INTO posts (id, blog_id, status, title, slug, created_at, updated_at) VALUES (77, ?, 'draft', 'Hers', 'hers', 1, 1)",
      [theirs.id],
    );
    expect((await send({ ...fields, post: "77" })).status).toBe(403);
    expect((await send({ ...fields, post: "78" })).status).toBe(404);
    expect((await send({ ...fields, alt: "x".repeat(10_001) })).status).toBe(422);
    expect(await altsOf(owned, id)).toEqual({ "rain.jpg": "Rain" });
  });
});
