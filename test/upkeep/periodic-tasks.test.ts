import { expect, test } from "bun:test";
import { idempotentAnswers, keys, sessions } from "../../src/database/schema";
import { yieldToEventLoop } from "../../src/runtime/yielding";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { lockDatabase } from "../support/other-program";
import { DAY, MINUTE, startPlaten } from "../support/platen";

const READER = { headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" } };

test("a failing background task is logged, the others run, and no data is lost", async () => {
  const { platen, account, api, fetch, pass, log } = startPlaten();
  const sql = platen.db.$client;
  const views = () => sql.query("SELECT count FROM views").all();
  await api("POST", "/posts", { post: { title: "Read me", status: "published" } });
  await fetch("/read-me", READER);
  platen.db
    .insert(sessions)
    .values({ hash: "over", accountId: account.id, createdAt: platen.now(), expiresAt: platen.now() })
    .run();
  for (const table of ["views", "sessions"])
    sql.run(
      `CREATE TRIGGER no_${table} BEFORE ${table === "views" ? "INSERT" : "DELETE"} ON ${table}
       BEGIN SELECT RAISE(ABORT, 'no ${table} today'); END`,
    );
  const tasks = periodicTasks(platen);
  tasks.step();
  expect(log).toEqual([
    "A background task failed and will be retried: no sessions today",
    "A background task failed and will be retried: no views today",
  ]);

  await fetch("/read-me", READER);
  sql.run("DROP TRIGGER no_views");
  pass(MINUTE);
  tasks.step();
  expect(views()).toEqual([{ count: 2 }]);
});

test("views that cannot be written because of a lock are written later", async () => {
  const { platen, api, fetch, pass, log } = startPlaten();
  const views = () => platen.db.$client.query("SELECT count FROM views").all();
  await api("POST", "/posts", { post: { title: "Read me", status: "published" } });
  await fetch("/read-me", READER);
  const tasks = periodicTasks(platen);
  {
    using _lock = lockDatabase(platen.config.data);
    // A task that waited for the lock here would fail after ten seconds.
    tasks.step();
    expect([views(), log]).toEqual([[], []]);
  }
  pass(MINUTE);
  tasks.step();
  expect(views()).toEqual([{ count: 1 }]);
});

test("many expired rows are deleted in batches", async () => {
  const { platen, pass } = startPlaten();
  const sql = platen.db.$client;
  const remainingRows = () =>
    sql.query<{ n: number }, []>("SELECT count(*) AS n FROM idempotent_answers").get()?.n;
  const fill = sql.query(
    "INSERT INTO idempotent_answers (key_id, idempotency_key, request, status, headers, body, created_at) SELECT id, ?, '', 200, '{}', '', ? FROM keys",
  );
  for (let number = 0; number < 50; number++) fill.run(`key ${number}`, platen.now().getTime());
  pass(DAY);
  const tasks = periodicTasks(platen);
  tasks.step();
  expect(remainingRows()).toBe(30);
  while (remainingRows()) await yieldToEventLoop();
  await tasks.stop();
});

test("a clock set back by a year does not stop periodic tasks", async () => {
  const { platen, api, fetch, pass } = startPlaten();
  await api("POST", "/posts", { post: { title: "Read me", status: "published" } });
  const tasks = periodicTasks(platen);
  tasks.step();
  await fetch("/read-me", READER);
  pass(-365 * DAY);
  tasks.step();
  expect(platen.db.$client.query("SELECT count FROM views").all()).toEqual([{ count: 1 }]);
});

test("a purge that fails stops no other one, and is repeated after a minute", async () => {
  const { platen, account, pass, log } = startPlaten();
  const over = { accountId: account.id, createdAt: platen.now(), expiresAt: platen.now() };
  const client = platen.db.$client;
  client.run(
    "CREATE TRIGGER no_log BEFORE DELETE ON idempotent_answers BEGIN SELECT RAISE(ABORT, 'not today'); END",
  );
  const keyId = platen.db.select({ id: keys.id }).from(keys).get()?.id as number;
  const answer = { keyId, idempotencyKey: "k", request: "r", status: 200, headers: {}, body: "" };
  platen.db
    .insert(idempotentAnswers)
    .values({ ...answer, createdAt: new Date(0) })
    .run();
  platen.db
    .insert(sessions)
    .values({ hash: "over", ...over })
    .run();
  const tasks = periodicTasks(platen);
  tasks.step();
  expect(log).toEqual(["A background task failed and will be retried: not today"]);
  expect(platen.db.select().from(sessions).all()).toEqual([]);
  client.run("DROP TRIGGER no_log");
  pass(MINUTE);
  tasks.step();
  expect(client.query("SELECT count(*) AS n FROM idempotent_answers").get()).toEqual({ n: 0 });
});

test("a purge of the trash that fails is logged", async () => {
  const { platen, api, pass, log } = startPlaten();
  const { post } = (await api("POST", "/posts", { post: { title: "Old" } })).body;
  await api("DELETE", `/posts/${post.id}`);
  platen.db.$client.run(
    "CREATE TRIGGER no_purge BEFORE DELETE ON posts BEGIN SELECT RAISE(ABORT, 'not today'); END",
  );
  pass(31 * DAY);
  const tasks = periodicTasks(platen);
  tasks.step();
  while (log.length === 0) await yieldToEventLoop();
  expect(log).toEqual(["A background task failed and will be retried: not today"]);
  await tasks.stop();
});
