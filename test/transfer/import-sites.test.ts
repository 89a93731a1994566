import { expect, test } from "bun:test";
import { folderWith, png, startMoving } from "./moving";

test("an old site of Hugo's whose front matter is written in capitals keeps titles, tags, dates, drafts and addresses", async () => {
  await using at = await startMoving();
  const folder = await folderWith("hugo-capitals", { "static/media/ferry.png": await png() });
  const { stdout } = await at.bring("auto", folder);
  expect(stdout).toStartWith("Brought 4 posts, 0 pages, 0 komments, 1 file.\n1 of them readers do not see");
  const {
    "the-first-ferry": ferry,
    "not-to-be-read": draft,
    "in-toml": toml,
    "in-json": json,
  } = await at.posts();
  expect(ferry).toMatchObject({
    title: "Morning: the first ferry",
    published_at: "2009-11-12T00:00:00.000Z",
    tags: ["boats", "harbour", "Journeys"],
  });
  expect(ferry.content.html).toContain("<figcaption>At the pier</figcaption>");
  expect(draft).toMatchObject({ status: "draft", title: "Not to be read", tags: ["boats"] });
  expect(draft.created_at).toBe("2010-02-03T00:00:00.000Z");
  expect(toml).toMatchObject({
    title: "In TOML",
    published_at: "2011-05-06T07:08:09.000Z",
    tags: ["islands"],
  });
  expect(json).toMatchObject({ title: "In JSON", published_at: "2012-01-02T00:00:00.000Z", tags: ["Talks"] });
  const found = ["/post/the-first-ferry/", "/post/in-toml/", "/islands.html", "/presentation/in-json/"];
  const there = ["the-first-ferry", "in-toml", "in-toml", "in-json"].map((slug) => `${at.url}/${slug}`);
  expect(await Promise.all(found.map(async (path) => (await at.page(path)).headers.get("location")))).toEqual(
    there,
  );
  expect((await at.page("/not-to-be-read")).status).toBe(404);
});

test("a text whose front matter cannot be read comes as a draft, whatever it is written in, and the report names it", async () => {
  await using at = await startMoving();
  const files = {
    "script.md":
      '---js\nconst title = "Script"; // as Eleventy has it\nconst date = "2023-01-23"\nconst tags = [\n  "a",\n];\n---\nPublic.',
    "object.md": "---js\n{\n  title: `Object`,\n  draft: true,\n}\n---\nNot public.",
    "computed.md": '---js\nconst title = "Computed";\nconst draft = isDraft();\n---\nNot public.',
    "coffee.md": '---coffee\ntitle = "x"\n---\n# Coffee\n\nNot public.',
    "points.md": ';;;\n"title": "Points",\n"draft": true\n;;;\nNot public.',
    "wrong-points.md": ";;;\ntitle Points\n;;;\nNot public.",
    "quote.md": '---\ntitle: "Quote\ntags:\n  - kept\n---\nNot public.',
    "object-in-json.md": '{\n  "title": "Comma",\n  "draft": true,\n}\n\nNot public.',
    "open.md": "---\ntitle: Open\nDraft: true\n\nNot public.",
    "twice.md": "---\ntitle: Twice\ndraft: false\nDraft: true\n---\nNot public.",
    "toml-in-yaml.md": '---\ntitle = "T"\ndraft = true\n---\nNot public.',
    "unsure.md": "---\ntitle: Unsure\ndraft: later\n---\nNot public.",
    "drawn.md": "--- Words\n\nPublic.\n\n---\n\nMore.",
  };
  const { stdout } = await at.bring("markdown", await folderWith(null, files));
  const posts = await at.posts();
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
  const isPublic = Object.values(posts).filter((post: any) => post.status === "published");
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
  expect(isPublic.map((post: any) => post.slug).toSorted()).toEqual(["drawn", "script"]);
  expect(Object.keys(posts)).toHaveLength(13);
  expect(posts.script).toMatchObject({
    title: "Script",
    published_at: "2023-01-23T00:00:00.000Z",
    tags: ["a"],
  });
  expect([posts.object.title, posts.points.title, posts.computed.title, posts.coffee.title]).toEqual([
    "Object",
    "Points",
    "Computed",
    "Coffee",
  ]);
  // What could not be read is not lost.
  expect(posts.quote.content.source).toContain("- kept");
  expect(stdout).toContain(
    "  computed.md: its front matter is JavaScript with more than plain values in line 3, and was read line by line: it comes as a draft.\n",
  );
  for (const name of ["coffee", "wrong-points", "quote", "object-in-json", "open", "toml-in-yaml"])
    expect(stdout).toContain(`  ${name}.md: its front matter `);
  for (const name of ["script", "object.md", "points.md", "twice", "drawn"])
    expect(stdout).not.toContain(`  ${name}.md: its`);
});
