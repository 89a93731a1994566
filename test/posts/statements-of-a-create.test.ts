import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { blogs, categories, keys } from "../../src/database/schema";
import { nextTurn } from "../../src/next-turn";
import { notedStatements } from "../support/noted-statements";
import { startPlaten } from "../support/platen";

const asked = notedStatements();

const LOOKS = /^PRAGMA|total_changes|^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/;

test("a create reads nothing that has not changed since the one before, and nothing that it has just written", async () => {
  const at = startPlaten();
  const create = (title: string) =>
    at.api("POST", "/posts", { post: { title, content: "<p>Tea.</p>", status: "published" } });
  await create("One");
  await create("Two");
  asked.length = 0;
  expect((await create("Three")).body.post).toMatchObject({ title: "Three", blog: { title: "Ada's Blog" } });
  const statements = asked.filter((statement) => !LOOKS.test(statement));
  expect(statements.map((statement) => statement.slice(0, 30).toLowerCase())).toEqual([
    "select id from posts where blo",
    'insert into "posts" ("id", "bl',
    "insert or replace into content",
    "delete from old_slugs where bl",
    "insert or ignore into unindexe",
    "select 1 from webhooks where b",
  ]);
  expect(asked.length).toBeLessThan(28);
});

test("what a blog, a category or a key has become between two creates, the second one knows", async () => {
  const at = startPlaten();
  const { platen, blog, api } = at;
  const create = (fields: object) => api("POST", "/posts", { post: { title: "Tea", ...fields } });
  const first = (await create({ category: "Drinks" })).body.post;
  expect(first).toMatchObject({ category: { name: "Drinks" }, url: "http://blog.test/tea" });

  platen.db.update(blogs).set({ title: "Kettle", domain: "tea.test" }).where(eq(blogs.id, blog.id)).run();
  platen.db.update(categories).set({ name: "Beverages" }).run();
  const second = (await create({ category_id: first.category.id })).body.post;
  expect(second).toMatchObject({
    blog: { title: "Kettle" },
    category: { name: "Beverages" },
    url: "http://tea.test/tea-2",
  });
  const third = (await create({ category: "Cups", tags: ["one", "two"] })).body.post;
  expect(third).toMatchObject({ category: { name: "Cups" }, tags: ["one", "two"] });
  platen.db.update(keys).set({ revokedAt: platen.now() }).run();
  expect((await create({})).status).toBe(401);
});

test("what another process has changed meanwhile, the next create knows", async () => {
  const at = startPlaten();
  const create = async () => (await at.api("POST", "/posts", { post: { title: "Tea" } })).body.post;
  expect(await create()).toMatchObject({ blog: { title: "Ada's Blog" } });
  const other = new Database(join(at.platen.config.data, "platen.db"));
  other.run("UPDATE blogs SET title = 'Kettle'");
  other.close();
  await nextTurn();
  expect(await create()).toMatchObject({ blog: { title: "Kettle" } });
});
