import { describe, expect, test } from "bun:test";
import { HOUR, START, startPlaten, type TestPlaten } from "../support/platen";

interface Titled {
  id: number;
  title: string;
}
const titles = async ({ api }: TestPlaten, query = "") =>
  (await api("GET", `/posts?${query}`)).body.posts.map((post: Titled) => post.title);

/** Creates live posts, one an hour, unless the fields say otherwise. */
async function write(platen: TestPlaten, ...posts: object[]): Promise<number[]> {
  const ids: number[] = [];
  for (const fields of posts) {
    const { body } = await platen.api("POST", "/posts", { post: { status: "published", ...fields } });
    ids.push(body.post.id);
    platen.pass(HOUR);
  }
  return ids;
}

describe("filters", () => {
  test("status: the default is live posts; all includes everything but deleted posts", async () => {
    const platen = startPlaten();
    const later = new Date(START.getTime() + 1000 * HOUR).toISOString();
    await write(
      platen,
      { title: "live" },
      { title: "draft", status: "draft" },
      { title: "archived", status: "archived" },
      { title: "scheduled", published_at: later },
    );
    expect(await titles(platen)).toEqual(["live"]);
    for (const status of ["published", "draft", "archived", "scheduled"])
      expect(await titles(platen, `status=${status}`)).toEqual([status === "published" ? "live" : status]);
    expect((await titles(platen, "status=all")).sort()).toEqual(["archived", "draft", "live", "scheduled"]);
  });

  test("type: posts or pages; both by default", async () => {
    const platen = startPlaten();
    await write(platen, { title: "post" }, { title: "page", type: "page" });
    expect(await titles(platen, "type=posts")).toEqual(["post"]);
    expect(await titles(platen, "type=pages")).toEqual(["page"]);
    expect(await titles(platen)).toEqual(["page", "post"]);
  });

  test("categories: by case-insensitive name, by id, excluded, or none; unknown names match nothing", async () => {
    const platen = startPlaten();
    await write(
      platen,
      { title: "cat", category: "Cats" },
      { title: "dog", category: "Dogs" },
      { title: "bare" },
    );
    expect(await titles(platen, "category=cats")).toEqual(["cat"]);
    expect(await titles(platen, "category_id=1")).toEqual(["cat"]);
    expect(await titles(platen, "category=birds")).toEqual([]);
    expect(await titles(platen, "category_id=99")).toEqual([]);
    expect(await titles(platen, "exclude_category=CATS")).toEqual(["bare", "dog"]);
    expect(await titles(platen, "exclude_category_id=1")).toEqual(["bare", "dog"]);
    expect(await titles(platen, "exclude_category=birds")).toEqual(["bare", "dog", "cat"]);
    expect(await titles(platen, "uncategorized=true")).toEqual(["bare"]);
    expect(await titles(platen, "uncategorized=false")).toHaveLength(3);
    expect(await titles(platen, "uncategorized=true&exclude_category=Cats")).toEqual(["bare"]);
  });

  test.each([
    ["category=a&exclude_category=b", ["exclude_category"]],
    ["category=a&exclude_category_id=1", ["exclude_category_id"]],
    ["category=a&uncategorized=true", ["uncategorized"]],
    ["category_id=1&exclude_category=b", ["exclude_category"]],
    ["category_id=1&exclude_category_id=1", ["exclude_category_id"]],
    ["category_id=1&uncategorized=true", ["uncategorized"]],
    [
      "category=a&exclude_category=b&uncategorized=false&exclude_category_id=1",
      ["exclude_category", "exclude_category_id"],
    ],
  ])("%s returns 400 naming the filters that exclude each other", async (query, fields) => {
    const { api } = startPlaten();
    const { status, body } = await api("GET", `/posts?${query}`);
    expect(status).toBe(400);
    expect(Object.keys(body.errors)).toEqual(fields);
  });

  test("dates: whole days in the blog's time zone, both ends included; instants to the millisecond", async () => {
    const platen = startPlaten();
    platen.platen.db.$client.run("UPDATE blogs SET time_zone = 'Asia/Tokyo'");
    await write(
      platen,
      { title: "late 27th in Tokyo", published_at: "2026-02-27T14:59:59Z" },
      { title: "28th begins", published_at: "2026-02-27T15:00:00Z" },
      { title: "28th ends", published_at: "2026-02-28T14:59:59.999Z" },
      { title: "draft of 1 March", status: "draft" },
    );
    expect(await titles(platen, "from_date=2026-02-28&to_date=2026-02-28")).toEqual([
      "28th ends",
      "28th begins",
    ]);
    expect(await titles(platen, "to_date=2026-02-27")).toEqual(["late 27th in Tokyo"]);
    expect(await titles(platen, "from_date=2026-02-27T15:00:00Z")).toEqual(["28th ends", "28th begins"]);
    expect(await titles(platen, "to_date=2026-02-28T00:00:00%2B09:00")).toEqual([
      "28th begins",
      "late 27th in Tokyo",
    ]);
    expect(await titles(platen, "to_date=2026-02-28T00:00:00+09:00")).toHaveLength(2);
    expect(await titles(platen, "status=all&from_date=2026-03-01")).toEqual(["draft of 1 March"]);
  });

  test("updated_since: posts changed at that instant or later", async () => {
    const platen = startPlaten();
    const [a] = await write(platen, { title: "a" }, { title: "b" }, { title: "c" });
    const since = (hours: number) =>
      `updated_since=${new Date(START.getTime() + hours * HOUR).toISOString()}`;
    expect(await titles(platen, since(1))).toEqual(["c", "b"]);
    await platen.api("PATCH", `/posts/${a}`, { post: { title: "A" } });
    expect(await titles(platen, since(2))).toEqual(["c", "A"]);
    expect(await titles(platen, `${since(0).slice(0, -1)}%2B09:00`)).toHaveLength(3);
    expect(await titles(platen, since(4))).toEqual([]);
  });

  test("a day with a daylight saving change has its real length", async () => {
    const platen = startPlaten();
    platen.platen.db.$client.run("UPDATE blogs SET time_zone = 'Europe/Berlin'");
    await write(
      platen,
      { title: "last of the 23 hours", published_at: "2025-03-30T21:59:59Z" },
      { title: "31st", published_at: "2025-03-30T22:00:00Z" },
      { title: "25th hour", published_at: "2025-10-26T22:59:59Z" },
    );
    expect(await titles(platen, "from_date=2025-03-30&to_date=2025-03-30")).toEqual(["last of the 23 hours"]);
    expect(await titles(platen, "from_date=2025-10-26&to_date=2025-10-26")).toEqual(["25th hour"]);
  });

  test.each([
    "status=live",
    "type=post",
    "sort=id",
    "sort=--title",
    "page=0",
    "page=-1",
    "page=x",
    "page=1.5",
    "limit=0",
    "limit=x",
    "limit=0x10",
    "limit=1e1",
    "page=",
    "blog_id=x",
    "category_id=x",
    "exclude_category_id=x",
    "uncategorized=maybe",
    "include_content=2",
    "from_date=yesterday",
    "from_date=2026-02-30",
    "to_date=2026-13-01",
    "from_date=2026-01-01T00:00:00",
    "from_date=01.02.2026",
    "from_date=",
    "updated_since=2026-01-01",
    "updated_since=2026-01-01T00:00:00",
    "include_source=2",
    "cursor=",
    "cursor=x",
    "cursor=WzEsMSwxXQ.0123456789abcdef",
  ])("%s returns 400 naming the field", async (query) => {
    const { api } = startPlaten();
    const { status, body } = await api("GET", `/posts?${query}`);
    expect(status).toBe(400);
    expect(Object.keys(body.errors)).toEqual([query.split("=")[0] as string]);
  });
});

describe("order and pages", () => {
  test("each sort works in both directions; the default is newest publication; titles ignore case", async () => {
    const platen = startPlaten();
    const [a] = await write(
      platen,
      { title: "b", published_at: "2026-01-03T00:00:00Z" },
      { title: "A", published_at: "2026-01-01T00:00:00Z" },
      { title: "c", published_at: "2026-01-02T00:00:00Z" },
    );
    await platen.api("PATCH", `/posts/${a}`, { post: { content: "changed" } });
    const orders: Record<string, string> = {
      title: "Abc",
      published_at: "Acb",
      created_at: "bAc",
      updated_at: "Acb",
    };
    expect((await titles(platen)).join("")).toBe("bcA");
    for (const [sort, order] of Object.entries(orders)) {
      expect((await titles(platen, `sort=${sort}`)).join("")).toBe(order);
      expect((await titles(platen, `sort=-${sort}`)).join("")).toBe([...order].reverse().join(""));
    }
  });

  test("posts with equal keys are sorted by id, so that pages neither repeat nor miss one", async () => {
    const platen = startPlaten();
    const same = "2026-01-01T00:00:00Z";
    const ids = await write(
      platen,
      ...Array.from({ length: 7 }, () => ({ title: "same", published_at: same })),
    );
    for (const sort of ["title", "-title", "published_at", "-published_at"]) {
      const seen: number[] = [];
      for (let page = 1; page <= 4; page++) {
        const { body } = await platen.api("GET", `/posts?limit=2&page=${page}&sort=${sort}`);
        expect(body.pagination).toEqual({
          page,
          limit: 2,
          total: 7,
          pages: 4,
          next: page < 4 ? expect.any(String) : null,
        });
        seen.push(...body.posts.map((post: Titled) => post.id));
      }
      expect(seen).toEqual(sort.startsWith("-") ? ids.toReversed() : ids);
    }
  });

  test("a page has 20 items by default and at most 100; a page past the end is empty", async () => {
    const platen = startPlaten();
    await write(platen, { title: "only" });
    expect((await platen.api("GET", "/posts")).body.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 1,
      pages: 1,
      next: null,
    });
    expect((await platen.api("GET", "/posts?limit=500")).body.pagination.limit).toBe(100);
    const past = (await platen.api("GET", "/posts?page=7")).body;
    expect(past).toEqual({ posts: [], pagination: { page: 7, limit: 20, total: 1, pages: 1, next: null } });
    expect((await platen.api("GET", "/posts?page=9007199254740991")).status).toBe(200);
  });

  test("the total is correct after every change", async () => {
    const platen = startPlaten();
    const total = async () => (await platen.api("GET", "/posts")).body.pagination.total;
    expect(await total()).toBe(0);
    const [id] = await write(platen, { title: "a" });
    expect(await total()).toBe(1);
    await platen.api("PATCH", `/posts/${id}/unpublish`);
    expect(await total()).toBe(0);
  });

  test("scheduled posts up to a day are listed, also right after a request for all of them", async () => {
    const platen = startPlaten();
    const dayOf = (number: number) => new Date(START.getTime() + number * 24 * HOUR).toISOString();
    for (let number = 10; number < 120; number++)
      await platen.api("POST", "/posts", {
        post: { title: "Tea", status: "published", published_at: dayOf(number) },
      });
    const listTitles = async (query: string) => {
      const { posts, pagination } = (await platen.api("GET", `/posts?status=scheduled&${query}`)).body;
      return [posts.length, pagination.total];
    };
    const until = `to_date=${dayOf(14)}`;
    for (const all of ["", `from_date=${dayOf(10)}&`, "search=tea&"]) {
      expect(await listTitles(all)).toEqual([20, 110]);
      expect(await listTitles(all + until)).toEqual([5, 5]);
      expect(await listTitles(all)).toEqual([20, 110]);
    }
  });
});

describe("cursors", () => {
  const SORTS = ["title", "created_at", "updated_at", "published_at"].flatMap((sort) => [sort, `-${sort}`]);

  /** Reads all pages by cursor, and calls `meanwhile` between them. */
  async function walk({ api }: TestPlaten, query: string, meanwhile: (page: number) => Promise<unknown>) {
    const ids: number[] = [];
    const numbers: number[] = [];
    let next: string | null = null;
    do {
      const { status, body } = await api("GET", `/posts?${query}${next ? `&cursor=${next}` : ""}`);
      expect(status).toBe(200);
      ids.push(...body.posts.map((post: Titled) => post.id));
      numbers.push(body.pagination.page);
      next = body.pagination.next;
      await meanwhile(numbers.length);
    } while (next);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    return ids;
  }

  test.each(SORTS)(
    "sort=%s: pages neither repeat nor miss a post while others are added, changed and deleted",
    async (sort) => {
      const platen = startPlaten();
      const time = "2026-01-01T00:00:00Z";
      const there = await write(
        platen,
        ...["b", "B", "a", "c", "b", ""].map((title) => ({ title, content: "x", published_at: time })),
        { title: "b", published_at: "2025-01-01T00:00:00Z" },
        { title: "draft a", status: "draft" },
        { title: "draft b", status: "draft" },
        { title: "draft c", status: "draft" },
      );
      const others = await write(platen, { title: "0" }, { title: "zz" }, { title: "m" });
      const before = (await platen.api("GET", `/posts?status=all&limit=100&sort=${sort}`)).body.posts;
      const seen = await walk(platen, `status=all&limit=3&sort=${sort}`, async (page) => {
        if (page > 3) return;
        await write(platen, { title: `a${page}` }, { title: "z", status: "draft" });
        await write(platen, { title: "b", published_at: "2020-01-01T00:00:00Z" });
        if (page === 1) await platen.api("DELETE", `/posts/${others[0]}`);
        if (page === 2) await platen.api("PATCH", `/posts/${others[1]}`, { post: { title: "A0" } });
        if (page === 3) await platen.api("PATCH", `/posts/${others[2]}/unpublish`);
      });
      const wanted = before.map((post: Titled) => post.id).filter((id: number) => there.includes(id));
      expect(seen.filter((id) => there.includes(id))).toEqual(wanted);
    },
  );

  test("continue from a page requested by number, also with another limit", async () => {
    const platen = startPlaten();
    const ids = (
      await write(platen, ...Array.from({ length: 7 }, (_, index) => ({ title: `${index}` })))
    ).toReversed();
    const { body } = await platen.api("GET", "/posts?limit=2&page=2");
    const { next } = body.pagination;
    await write(platen, { title: "new" });
    const rest = await platen.api("GET", `/posts?limit=5&cursor=${next}`);
    expect(rest.body.posts.map((post: Titled) => post.id)).toEqual(ids.slice(4));
    expect(rest.body.pagination).toEqual({ page: 3, limit: 5, total: 8, pages: 2, next: null });
  });

  test("work only for the list they were made for and not together with page: otherwise 400", async () => {
    const platen = startPlaten();
    const second = platen.newBlog({ title: "Second" });
    await write(platen, { title: "a" }, { title: "b" });
    const { next } = (await platen.api("GET", "/posts?limit=1")).body.pagination;
    expect(await titles(platen, `limit=1&cursor=${next}`)).toEqual(["a"]);
    expect(
      await titles(platen, `limit=1&blog_id=1&sort=-published_at&include_content=true&cursor=${next}`),
    ).toEqual(["a"]);
    for (const query of [
      `blog_id=${second.id}&cursor=${next}`,
      `sort=title&cursor=${next}`,
      `status=all&cursor=${next}`,
      `search=a&cursor=${next}`,
      `page=1&cursor=${next}`,
      `cursor=A${next}`,
      `cursor=${next}A`,
    ]) {
      const { status, body } = await platen.api("GET", `/posts?${query}`);
      expect([query, status, Object.keys(body.errors)]).toEqual([query, 400, ["cursor"]]);
    }
  });
});

describe("items", () => {
  test("include the source with include_source=true", async () => {
    const platen = startPlaten();
    const [id] = await write(platen, { title: "a", content: "*Body*", content_type: "markdown" });
    const content = {
      html: "<p><em>Body</em></p>\n",
      text: "Body",
      source: "*Body*",
      source_type: "markdown",
    };
    const listed = async (query: string) =>
      (await platen.api("GET", `/posts?${query}`)).body.posts[0].content;
    expect(await listed("include_content=true&include_source=true")).toMatchObject(content);
    expect(await listed("include_source=true")).toBeUndefined();
    expect(await listed("include_content=true")).not.toHaveProperty("source");
    const one = await platen.api("GET", `/posts/${id}?include_source=true`);
    expect(one.body.post.content).toMatchObject(content);
    const plain = await platen.api("GET", `/posts/${id}`);
    expect(plain.body.post.content).not.toHaveProperty("source");
    const saved = await platen.api(
      "PATCH",
      `/posts/${id}`,
      { post: { title: "b" } },
      { "if-match": one.headers.get("etag") as string },
    );
    expect(saved.status).toBe(200);
    expect(saved.body.post.content).not.toHaveProperty("source");
  });

  test("include content only with include_content=true", async () => {
    const platen = startPlaten();
    await write(platen, { title: "a", content: "<p>Body</p>" });
    const [bare] = (await platen.api("GET", "/posts")).body.posts;
    expect(bare).not.toHaveProperty("content");
    expect(bare).toMatchObject({ title: "a", attachments: [] });
    const [full] = (await platen.api("GET", "/posts?include_content=true")).body.posts;
    expect(full.content).toEqual({ html: "<p>Body</p>", text: "Body" });
    const { body } = await platen.api("GET", `/posts/${full.id}`);
    expect(body.post).toEqual(full);
  });
});

test("a page with too much content is rejected naming limit; a smaller limit works", async () => {
  const platen = startPlaten();
  const content = "x".repeat(1_000_000);
  await write(platen, ...["a", "b", "c", "d", "e", "f"].map((title) => ({ title, content })));
  const refused = await platen.api("GET", "/posts?include_content=true");
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    { limit: ["is too high: these posts have 12 MB of content; a response may have 10 MB"] },
  ]);
  expect((await platen.api("GET", "/posts?include_content=true&limit=2")).body.posts).toHaveLength(2);
  expect((await platen.api("GET", "/posts")).body.posts).toHaveLength(6);
});

describe("search", () => {
  const found: [query: string, titles: string[]][] = [
    ["heron", ["Birds"]],
    ["HERON", ["Birds"]],
    ["hero", ["Birds"]],
    ["cafe", ["Café"]],
    ["café", ["Café"]],
    ["東京", ["旅行"]],
    ["京", ["旅行"]],
    ["旅", ["旅行"]],
    ["Go", ["Languages"]],
    ["C", ["Languages"]],
    ["Ca", ["Café"]],
    ["C++", ["Languages"]],
    ["grey heron", ["Birds"]],
    ["heron tokyo", []],
    ["nothing-like-it", []],
    ["bold", ["Birds"]],
    ["strong", []],
  ];
  test.each(found)("%p finds %j in title and content", async (query, expected) => {
    const platen = startPlaten();
    await write(
      platen,
      { title: "Birds", content: "<p>A grey heron, <strong>bold</strong> as brass.</p>" },
      { title: "Café", content: "<p>crème</p>" },
      { title: "旅行", content: "<p>昨日は東京に行きました。</p>" },
      { title: "Languages", content: "<p>I like Go and C++.</p>" },
    );
    expect((await titles(platen, `search=${encodeURIComponent(query)}`)).sort()).toEqual(expected.sort());
  });

  test.each([
    '"',
    "'",
    "*",
    "(",
    ")",
    "AND",
    "NOT x",
    "a OR",
    "-",
    "^",
    "NEAR(",
    ":",
    "title:x",
    "\\",
    "%",
    "_",
    "\0",
    "\ud800",
    "😀",
    "'; DROP TABLE posts; --",
    " ",
  ])("%p causes no error", async (query) => {
    const platen = startPlaten();
    await write(platen, { title: 'What "is" this?', content: "<p>50% * (a - b)</p>" });
    expect(
      (await platen.api("GET", `/posts?search=${encodeURIComponent(query.toWellFormed())}`)).status,
    ).toBe(200);
  });

  test("a query of punctuation alone finds nothing", async () => {
    const platen = startPlaten();
    await write(platen, { title: "What?!" }, { title: "What." });
    expect(await titles(platen, "search=%3F!")).toEqual([]);
  });

  test("only the first ten words count", async () => {
    const platen = startPlaten();
    const ten = "ab bc cd de ef fg gh hi ij jk";
    await write(platen, { title: ten });
    expect(await titles(platen, `search=${ten} absent`.replaceAll(" ", "+"))).toEqual([ten]);
    expect(await titles(platen, `search=absent ${ten}`.replaceAll(" ", "+"))).toEqual([]);
  });

  test("the search finds every change, and can be combined with filters", async () => {
    const platen = startPlaten();
    const [id] = await write(
      platen,
      { title: "Old words", category: "A" },
      { title: "words", status: "draft" },
    );
    expect(await titles(platen, "search=words")).toEqual(["Old words"]);
    expect(await titles(platen, "search=words&status=all")).toHaveLength(2);
    expect(await titles(platen, "search=words&category=B")).toEqual([]);
    await platen.api("PATCH", `/posts/${id}`, { post: { title: "New", content: "text" } });
    expect(await titles(platen, "search=words")).toEqual([]);
    expect(await titles(platen, "search=text")).toEqual(["New"]);
  });
});
