import { expect, test } from "bun:test";
import { picture, uploadForm } from "../../support/pictures";
import { startPlaten } from "../../support/platen";

test("a picture's width is kept on its page, in the API and when its HTML is sent back", async () => {
  const at = startPlaten();
  await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(await picture(), "cat.jpg"),
  });
  const [{ html }] = (await at.api("GET", "/attachments")).body.attachments;
  const wide = (width: string) => html.replace("<action-text-attachment", `$& data-width="${width}"`);
  const create = async (content: string) =>
    (await at.api("POST", "/posts", { post: { title: "Cat", content, status: "published" } })).body.post;
  const full = await create(`<p>a</p>${wide("full")}`);
  expect(full.content.html).toContain(' data-width="full">');
  const page = await (await at.fetch(`/${full.slug}`)).text();
  expect(page).toContain(' data-width="full"');
  const again = await at.api("PATCH", `/posts/${full.id}`, { post: { content: full.content.html } });
  expect(again.body.post.content.html).toBe(full.content.html);
  const markdown = await at.api("POST", "/posts", {
    post: { title: "M", content: `One.\n\n${wide("text")}`, content_type: "markdown", status: "published" },
  });
  expect(markdown.body.post.content.html).toContain(' data-width="text">');
  for (const odd of ["huge", "&quot;x"])
    expect((await create(wide(odd))).content.html).not.toContain("data-width");
});
