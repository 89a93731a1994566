import { expect, test } from "bun:test";
import { join } from "node:path";
import { FIXTURES, folderWith, jpeg, png, startMoving } from "./moving";
import { zipped } from "./zipped";

const EXPORT = join(FIXTURES, "ghost.json");

test("a Ghost in an archive: cards, galleries, pictures, tags in their order, times; what is for members stays hidden", async () => {
  await using at = await startMoving();
  const files = [
    { path: "ghost.json", content: await Bun.file(EXPORT).text() },
    { path: "content/images/2020/01/fog.jpg", content: await jpeg() },
    { path: "content/images/a.png", content: await png() },
    { path: "content/images/b.png", content: await png() },
    { path: "content/images/top.jpg", content: await jpeg() },
  ];
  const archive = join(await folderWith(null, { "ghost.zip": zipped(files) }), "ghost.zip");
  const { stdout } = await at.bring("auto", archive, "--no-fetch");
  expect(stdout).toStartWith("Brought 3 posts, 1 page, 0 komments, 4 files.\n2 of them readers do not see");
  expect(stdout).toContain("1 × that a post is for members: it is archived instead");
  expect(stdout).toContain("1 × excerpts");

  const { fog, members, unfinished, about } = await at.posts();
  expect(fog).toMatchObject({
    published_at: "2020-01-02T08:00:00.000Z",
    updated_at: "2020-02-02T10:00:00.000Z",
    tags: ["Weather", "Morning"],
  });
  const { html } = fog.content;
  expect(html).toMatch(/^<figure[^>]*><img src="[^"]*top\.jpg"[^>]* alt="A grey sky".*?<figcaption>By Ada</);
  expect(html).toMatch(/fog\.jpg"[^>]* alt="Fog over a field"[^>]*><figcaption>At six<\/figcaption>/);
  expect(html).toMatch(/alt="One"[^>]*><\/figure>\s*<figure[^>]*><img[^>]*alt="Two"/);
  expect(html).toContain('<p><a href="https://elsewhere.example/">Elsewhere</a></p>');
  expect(html).toContain('<a href="/rain/">Rain</a>');
  expect(html).toContain("<b>kept</b>");
  expect(members.status).toBe("archived");
  expect(unfinished).toMatchObject({ status: "draft", published_at: null });
  expect(unfinished.content.html).toBe("<p>One &amp; two.</p>\n<p>Three.</p>");
  expect(about.type).toBe("page");
});

test("its JSON alone: pictures are looked for at the address that is said", async () => {
  await using at = await startMoving();
  const { stdout } = await at.bring("ghost", EXPORT, "--site", "https://fog.example", "--dry-run");
  expect(stdout).toContain("4 more files would be fetched.");
  const without = await at.bring("ghost", EXPORT, "--dry-run");
  expect(without.stdout).toContain("content/images/2020/01/fog.jpg (in Fog): there is no such file");
  const wrong = await at.bring("ghost", EXPORT, "--site", "fog");
  expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('--site is "fog"; it must be like https://example.com'),
  });
});
