import { expect, test } from "bun:test";
import { categories, posts } from "../../../src/database/schema";
import { inTransaction } from "../../../src/database/transactions";
import { dice } from "../../support/dice";
import { DAY, HOUR, START, startPlaten, type TestPlaten } from "../../support/platen";

type Row = typeof posts.$inferSelect;
const POSTS = 300;
/** With ids from here on the database counts as large, so lists are read in the reader thread. */
const LARGE = 30_001;
const LIMIT = 20;

/** Posts of every kind over four years, many of them with equal times; only a search uses their content. */
function fill({ platen, blog }: TestPlaten, count: number, firstId = 1): void {
  const { below, pick } = dice(12);
  const categoryIds = ["Cats", "Dogs", "Elks"].map((name) => {
    const named = { blogId: blog.id, name, nameKey: name.toLowerCase(), slug: name.toLowerCase() };
    return platen.db.insert(categories).values(named).returning().get().id;
  });
  const time = () => new Date(START.getTime() - below(1400) * DAY + below(3) * HOUR);
  const indexed = platen.db.$client.query(
    "INSERT INTO post_search (rowid, title, content) VALUES (?, '', ?)",
  );
  const insertContent = platen.db.$client.query(
    "INSERT INTO contents (post_id, source_type, html, text, source) VALUES (?, 'html', '', ?, '')",
  );
  inTransaction(platen, () => {
    for (let number = 0; number < count; number++) {
      const text = `${number % 3 === 0 ? "elk" : ""} ${number % 50 === 0 ? "yak" : ""}`;
      indexed.run(firstId + number, text);
      const status = pick(["published", "published", "published", "draft", "archived"] as const);
      const isDated = status === "published" || below(2) === 0;
      const ahead = below(12) === 0 ? 1500 * DAY : 0;
      platen.db
        .insert(posts)
        .values({
          id: firstId + number,
          blogId: blog.id,
          status,
          type: pick(["post", "post", "post", "page"] as const),
          title: pick(["a", "B", "c", "D"]) + below(40),
          slug: `post-${number}`,
          categoryId: pick([null, ...categoryIds]),
          publishedAt: isDated ? new Date(time().getTime() + ahead) : null,
          createdAt: time(),
          updatedAt: time(),
          deletedAt: below(15) === 0 ? START : null,
          hidden: below(9) === 0,
          skipArchive: below(9) === 0,
          isAnnounced: true,
        })
        .run();
      insertContent.run(firstId + number, text);
    }
  });
}

const FILTERS: [query: string, keeps: (row: Row) => boolean][] = [
  ["", isLive],
  ["status=all", () => true],
  ["status=draft", ({ status }) => status === "draft"],
  ["status=scheduled", (row) => row.status === "published" && !isLive(row)],
  ["type=pages&status=all", ({ type }) => type === "page"],
  ["category=DOGS", (row) => isLive(row) && row.categoryId === 2],
  ["exclude_category_id=1&status=all", ({ categoryId }) => categoryId !== 1],
  ["exclude_category=Cats&status=all", ({ categoryId }) => categoryId !== 1],
  ["exclude_category=Birds&exclude_category_id=-1", isLive],
  ["category_id=0&status=all", () => false],
  ["category_id=-1&status=all", () => false],
  [
    "exclude_category_id=2&exclude_category=Elks&from_date=2024-01-15",
    (row) =>
      isLive(row) && row.categoryId !== 2 && row.categoryId !== 3 && timeOf(row) >= Date.UTC(2024, 0, 15),
  ],
  [
    "category=Elks&to_date=2024-01-15",
    (row) => isLive(row) && row.categoryId === 3 && timeOf(row) < Date.UTC(2024, 0, 16),
  ],
  ["uncategorized=true", (row) => isLive(row) && row.categoryId === null],
  ["from_date=2024-01-15&status=all", (row) => timeOf(row) >= Date.UTC(2024, 0, 15)],
  ["to_date=2024-01-15", (row) => isLive(row) && timeOf(row) < Date.UTC(2024, 0, 16)],
  [
    "from_date=2023-05-05&to_date=2025-02-02&status=archived",
    (row) =>
      row.status === "archived" && timeOf(row) >= Date.UTC(2023, 4, 5) && timeOf(row) < Date.UTC(2025, 1, 3),
  ],
  ["search=elk", (row) => isLive(row) && row.id % 3 === 1],
  ["search=yak&status=all&type=posts", ({ id, type }) => id % 50 === 1 && type === "post"],
  ["updated_since=2024-06-01T00:00:00Z", (row) => isLive(row) && +row.updatedAt >= Date.UTC(2024, 5, 1)],
  [
    "updated_since=2022-09-01T00:00:00Z&exclude_category_id=1&to_date=2025-02-02",
    (row) =>
      isLive(row) &&
      row.categoryId !== 1 &&
      +row.updatedAt >= Date.UTC(2022, 8, 1) &&
      timeOf(row) < Date.UTC(2025, 1, 3),
  ],
  ["updated_since=2020-01-01T00:00:00Z&status=all", () => true],
];
const KEYS: Record<string, (row: Row) => string | number> = {
  title: ({ title }) => title.toLowerCase(),
  created_at: ({ createdAt }) => +createdAt,
  updated_at: ({ updatedAt }) => +updatedAt,
  published_at: ({ publishedAt }) => (publishedAt === null ? Number.NEGATIVE_INFINITY : +publishedAt),
};

function isLive({ status, publishedAt }: Row): boolean {
  return status === "published" && publishedAt !== null && publishedAt <= START;
}

function timeOf({ publishedAt, createdAt }: Row): number {
  return +(publishedAt ?? createdAt);
}

/** Filters and sorts all posts in memory. */
function expected({ platen }: TestPlaten, keeps: (row: Row) => boolean, sort: string): number[] {
  const key = KEYS[sort.replace("-", "")] as (row: Row) => string | number;
  const compare = (a: Row, b: Row) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id);
  const rows = platen.db.select().from(posts).all();
  const sorted = rows.filter((row) => row.deletedAt === null && keeps(row)).sort(compare);
  return (sort.startsWith("-") ? sorted.reverse() : sorted).map(({ id }) => id);
}

const pagesAt = (total: number) => {
  const last = Math.max(1, Math.ceil(total / LIMIT));
  return [...new Set([1, 2, Math.ceil(last / 3), Math.ceil(last / 2), last - 1, last, last + 1])].filter(
    (page) => page > 0,
  );
};

test.each(FILTERS)(
  "every page and total of ?%s matches filtering and sorting in memory",
  async (query, keeps) => {
    for (const firstId of [1, LARGE]) {
      const at = startPlaten();
      fill(at, POSTS, firstId);
      for (const sort of Object.keys(KEYS).flatMap((name) => [name, `-${name}`])) {
        const all = expected(at, keeps, sort);
        for (const page of pagesAt(all.length)) {
          const { body } = await at.api("GET", `/posts?${query}&sort=${sort}&page=${page}`);
          const ids = body.posts.map(({ id }: Row) => id);
          expect([sort, page, ids]).toEqual([sort, page, all.slice((page - 1) * LIMIT, page * LIMIT)]);
          expect(body.pagination.total).toBe(all.length);
        }
        let cursor = "";
        for (let place = 0; place < Math.min(all.length, 3 * LIMIT); place += LIMIT) {
          const { body } = await at.api("GET", `/posts?${query}&sort=${sort}${cursor}`);
          expect(body.posts.map(({ id }: Row) => id)).toEqual(all.slice(place, place + LIMIT));
          cursor = `&cursor=${body.pagination.next}`;
        }
      }
    }
  },
);

test("totals of a search for a very common word are right for each list and blog", async () => {
  const at = startPlaten();
  fill(at, POSTS);
  const other = at.newBlog({ title: "Other" });
  const time = START.getTime() - HOUR;
  const add = (blogId: number, count: number) =>
    at.platen.db.$client.run(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO posts (blog_id, status, title, slug, published_at, created_at, updated_at)
      SELECT ${blogId}, 'published', 'x', 'many-' || n, ${time}, ${time}, ${time} FROM numbers`);
  add(at.blog.id, 6000);
  add(other.id, 100);
  at.platen.db.$client.run(
    "INSERT INTO post_search (rowid, title, content) SELECT id, '', 'elk' FROM posts WHERE slug LIKE 'many-%'",
  );
  const isFound = ({ id, slug, blogId }: Row) =>
    blogId === at.blog.id && (slug.startsWith("many-") || id % 3 === 1);
  for (const [query, keeps] of FILTERS.slice(0, 6)) {
    const { body } = await at.api("GET", `/posts?search=elk&${query}`);
    const all = expected(at, (row) => isFound(row) && keeps(row), "title");
    expect([query, body.pagination.total]).toEqual([query, all.length]);
  }
  const { body } = await at.api("GET", `/posts?search=elk&blog_id=${other.id}`);
  expect(body.pagination.total).toBe(100);
});

test("totals are correct after every change of a post, its category and its tags", async () => {
  const at = startPlaten();
  fill(at, 60);
  const { below, pick } = dice(5);
  const client = at.platen.db.$client;
  const any = () => {
    const rows = client.query<{ id: number }, []>("SELECT id FROM posts ORDER BY id").all();
    return pick(rows).id;
  };
  const changes = [
    () => client.run(`UPDATE posts SET deleted_at = iif(deleted_at IS NULL, 1, NULL) WHERE id = ${any()}`),
    () => client.run(`UPDATE posts SET category_id = ${pick(["1", "2", "NULL"])} WHERE id = ${any()}`),
    () => client.run(`UPDATE posts SET status = 'draft', published_at = NULL WHERE id = ${any()}`),
    () =>
      client.run(`UPDATE posts SET status = 'published', published_at = ${below(1e9)} WHERE id = ${any()}`),
    () => client.run(`UPDATE posts SET type = '${pick(["post", "page"])}', title = 'x' WHERE id = ${any()}`),
    () => client.run(`DELETE FROM posts WHERE id = ${any()}`),
  ];
  const totals = () =>
    Promise.all(
      FILTERS.map(async ([query, keeps]) => {
        const { body } = await at.api("GET", `/posts?${query}`);
        expect([query, body.pagination.total]).toEqual([query, expected(at, keeps, "title").length]);
      }),
    );
  for (let round = 0; round < 40; round++) {
    pick(changes)();
    await totals();
  }
  client.run("DELETE FROM categories WHERE id = 2");
  await totals();
});
