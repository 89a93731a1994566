import { expect, test } from "bun:test";
import { startPlaten, type TestPlaten } from "../support/platen";
import { type Posted, page, post } from "./posting";

/** Places where a post may be shown, by letter. */
const PLACES = {
  p: "the post's address",
  h: "the front page",
  a: "the archive",
  c: "its category's page",
  t: "its tag's page",
  q: "a search",
  r: "the three feeds",
  k: "its category's three feeds",
  m: "the sitemap",
  s: "its share link",
};

/** Kind of post, its fields, and the letters of all places that show it. All posts are shared. */
const TABLE: [what: string, fields: Record<string, unknown>, shows: string][] = [
  ["a plain post", {}, "phactqrkms"],
  ["a hidden post", { meta: { hidden: true } }, "ps"],
  ["a post kept out of feeds", { meta: { hide_in_rss: true } }, "phactqms"],
  ["a post kept from search engines", { meta: { no_index_no_follow: true } }, "phactqrks"],
  ["a post kept out of the archive", { meta: { skip_archive: true } }, "phctqrkms"],
  ["a page", { type: "page" }, "pqms"],
  ["a hidden page", { type: "page", meta: { hidden: true } }, "ps"],
  ["a draft", { status: "draft" }, "s"],
  ["an archived post", { status: "archived" }, "s"],
  ["a scheduled post", { published_at: "2026-03-01T12:00:01Z" }, "s"],
  ["a post whose time has just come", { published_at: "2026-03-01T12:00:00Z" }, "phactqrkms"],
];

for (const [what, fields, shows] of TABLE)
  test(`${what} is shown on exactly: ${[...shows].map((letter) => PLACES[letter as keyof typeof PLACES]).join(", ")}`, async () => {
    const at = startPlaten();
    // Keeps the category and the tag public in any case.
    await post(at, { title: "Other", category: "Pets", tags: ["tame"] });
    expect(await placesOf(at, await post(at, sharedPost(fields)))).toBe(shows);
  });

test("a deleted post is shown nowhere, not even by its share link", async () => {
  const at = startPlaten();
  await post(at, { title: "Other", category: "Pets", tags: ["tame"] });
  const posted = await post(at, sharedPost({}));
  await at.api("DELETE", `/posts/${posted.id}`);
  expect(await placesOf(at, posted)).toBe("");
});

test("turning sharing off deletes the share link, and turning it on creates a new one", async () => {
  const at = startPlaten();
  const { id, meta } = await post(at, sharedPost({ status: "draft" }));
  const share = async (isShared: boolean) =>
    (await at.api("PATCH", `/posts/${id}`, { post: { meta: { is_shared: isShared } } })).body.post.meta
      .share_id;
  expect(await share(false)).toBeNull();
  expect((await at.fetch(`/share/${meta.share_id}`)).status).toBe(404);
  const fresh = await share(true);
  expect(fresh).not.toBe(meta.share_id);
  expect((await at.fetch(`/share/${meta.share_id}`)).status).toBe(404);
  expect((await at.fetch(`/share/${fresh}`)).status).toBe(200);
});

test("a category or tag without public posts returns 404, because its name may be secret", async () => {
  const at = startPlaten();
  for (const fields of [{ status: "draft" }, { meta: { hidden: true } }, { type: "page" }])
    await post(at, { title: "Secret", category: "Plans", tags: ["soon"], ...fields });
  for (const path of [
    "/category/plans",
    "/category/plans/feed.xml",
    "/tag/soon",
    "/category/none",
    "/tag/none",
  ])
    expect([path, (await at.fetch(path)).status]).toEqual([path, 404]);
});

function sharedPost(fields: Record<string, unknown>) {
  const meta = { is_shared: true, ...(fields.meta as object) };
  return { title: "Quokka", content: "<p>Marsupial</p>", category: "Pets", tags: ["tame"], ...fields, meta };
}

/** Letters of the places that show the post, in the order of `PLACES`. */
async function placesOf(at: TestPlaten, posted: Posted): Promise<string> {
  const shows = async (path: string) => {
    const answer = await at.fetch(path);
    return answer.status === 200 && /Quokka|\/quokka</.test(await answer.text());
  };
  const inAll = async (paths: string[]) => {
    const answers = await Promise.all(paths.map(shows));
    if (answers.some((answer) => answer !== answers[0])) throw new Error(`${paths} do not agree`);
    return answers[0];
  };
  const feeds = ["feed.xml", "feed.atom", "feed.json"];
  const found: Record<string, boolean | undefined> = {
    p: await shows(`/${posted.slug}`),
    h: await shows("/"),
    a: await shows("/archive"),
    c: await shows("/category/pets"),
    t: await shows("/tag/tame"),
    q: (await page(at, "/search?q=marsupial")).includes(`href="/${posted.slug}"`),
    r: await inAll(feeds.map((name) => `/${name}`)),
    k: await inAll(feeds.map((name) => `/category/pets/${name}`)),
    m: await shows("/sitemap.xml"),
    s: await shows(`/share/${posted.meta.share_id}`),
  };
  return Object.keys(PLACES)
    .filter((letter) => found[letter])
    .join("");
}
