import { expect, test } from "bun:test";
import { configureBlog } from "../../../src/blogs/blog-settings";
import { picture, uploadForm } from "../../support/pictures";
import { startPlaten } from "../../support/platen";
import { renderSource } from "./rendered";

test("callouts, toggles, link cards and players are returned unchanged, and shown on pages and in feeds", async () => {
  const at = startPlaten();
  const upload = async (name: string) => {
    const headers = { authorization: `Bearer ${at.key}` };
    const body = uploadForm(await picture(640, 360), name);
    const answer = await at.fetch("/api/v1/attachments", { method: "POST", headers, body });
    return (await answer.json()).attachment.html as string;
  };
  const [card, film, own] = [await upload("card.jpg"), await upload("film.jpg"), await upload("own.jpg")];
  const iframe =
    '<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk" loading="lazy" title="A film"></iframe>';
  const content = `<aside class="callout"><p>Mind the step.</p></aside>
<details><summary>More</summary><p>Told.</p></details>
<div class="bookmark">${card}<p><a href="https://example.org/tides">Tides</a></p><p>Of the sea.</p><p><cite>example.org</cite></p></div>
<figure class="player">${film}<details><summary>A film</summary>${iframe}</details></figure>
${own}`;
  const post = { title: "Blocks", content, status: "published", alt_text: { "card.jpg": "" } };
  const { body } = await at.api("POST", "/posts", { post });
  const { html } = body.post.content;
  expect(body.warnings).toBeUndefined();
  const attachment = /<action-text-attachment[^>]*><\/action-text-attachment>/g;
  expect(html.replace(/<figure class="attachment.*?<\/figure>/g, "[picture]")).toBe(
    content.replace(attachment, "[picture]"),
  );
  const again = await at.api("PATCH", `/posts/${body.post.id}`, { post: { content: html } });
  expect(again.body.post.content.html).toBe(html);
  expect((await (await at.fetch("/feed.json")).json()).items[0].content_html).toContain('class="bookmark"');

  // The post's own picture is the preview, not that of a link card before it.
  expect(body.post.attachments.map((one: { filename: string }) => one.filename)).toEqual([
    "own.jpg",
    "card.jpg",
    "film.jpg",
  ]);
  configureBlog(at.platen, at.blog, { theme: "magazine" });
  expect(await (await at.fetch("/")).text()).toContain("/own.jpg");

  const page = await (await at.fetch("/blocks")).text();
  expect(page).toMatch(
    /<div class="bookmark"><div class="picture"[^>]*><img [^>]*alt=""[^>]*><\/div><p><a href="https:/,
  );
  expect(page.match(/<a class="picture"/g)).toHaveLength(1);
  expect(page).toContain(`<summary>A film</summary>${iframe}`);
});

test("GitHub's alerts in Markdown become callouts; all but notes begin with their kind", () => {
  const htmlOf = (markdown: string) => renderSource(markdown, "markdown").html.replaceAll("\n", "");
  expect(htmlOf("> [!NOTE]\n> A *note* & more.")).toBe(
    '<aside class="callout"><p>A <em>note</em> &amp; more.</p></aside>',
  );
  expect(htmlOf("> [!WARNING]\n> Hot.\n>\n> - very")).toBe(
    '<aside class="callout"><p><strong>Warning</strong></p><p>Hot.</p><ul><li>very</li></ul></aside>',
  );
  expect(htmlOf("> [!NOTE] said")).toBe("<blockquote><p>[!NOTE] said</p></blockquote>");
});
