import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { mailServer } from "../support/mail-server";
import { freshFolder, runPlaten, setUpBlog, startServer } from "../support/program";

const READERS = 300;

test("300 mails with a SIGKILL in the middle: none twice, at most one is unsure", async () => {
  const relay = await mailServer();
  const env = {
    PLATEN_SMTP_URL: `smtp://127.0.0.1:${relay.relay.port}`,
    PLATEN_MAIL_FROM: "ada@example.com",
    PLATEN_NEWSLETTER_DELAY: "0s",
    PLATEN_MAIL_PER_HOUR: "100000",
  };
  const { data, key } = await setUpBlog();
  const list = join(freshFolder(), "..", "readers.csv");
  const readers = Array.from({ length: READERS }, (_, at) => `r${at}@example.com`);
  await Bun.write(list, `Email\n${readers.join("\n")}\n`);
  const imported = await runPlaten(["subscriber", "import", list, "--blog", "ada", "--data", data]);
  expect([imported.stderr, imported.stdout]).toEqual(["", expect.stringContaining("300 subscribers added")]);
  await runPlaten(["reach", "set", "--blog", "ada", "--newsletter", "on", "--data", data]);

  const first = await startServer({ data, env });
  const answer = await fetch(`${first.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Hello", content: "<p>Hi.</p>", status: "published" } }),
  });
  expect(answer.status).toBe(201);
  const until = async (isDone: () => boolean) => {
    for (let wait = 0; wait < 6000 && !isDone(); wait++) await Bun.sleep(20);
  };
  await until(() => relay.received.length >= READERS / 3);
  await first.kill();
  const second = await startServer({ data, env });
  const db = new Database(join(data, "platen.db"), { readonly: true });
  const state = () => db.query("SELECT state FROM newsletter_issues").values()[0]?.[0];
  await until(() => state() === "sent");
  const unsure = Number(db.query("SELECT count(*) FROM deliveries WHERE state = 'unsure'").values()[0]?.[0]);
  const addresses = relay.received.map(({ to }) => to[0]);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(unsure).toBeLessThanOrEqual(1);
  expect(addresses.length).toBeGreaterThanOrEqual(READERS - unsure);
  await second[Symbol.asyncDispose]();
}, 240_000);
