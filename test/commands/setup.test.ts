import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { callPlaten } from "../support/command";
import { freshFolder, startServer } from "../support/program";

const KEY = /^platen_[\w-]{32,}\n$/;

test("setup creates an admin, the first blog and a key, prints only the key, and works once", async () => {
  const env = { PLATEN_DATA: freshFolder() };
  const done = await callPlaten(
    ["setup", "--email", "ada@example.com", "--title", "Ada Writes", "--name", "Ada", "--password-stdin"],
    { env, stdin: "correct horse battery\n" },
  );
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(KEY);

  const accounts = JSON.parse((await callPlaten(["account", "list", "--json"], { env })).stdout);
  expect(accounts).toMatchObject([{ id: 1, email: "ada@example.com", name: "Ada", is_admin: true }]);
  const blogs = JSON.parse((await callPlaten(["blog", "list", "--json"], { env })).stdout);
  expect(blogs).toMatchObject([{ slug: "ada-writes", title: "Ada Writes", account: "ada@example.com" }]);
  const { password_hash } = onlyRow(env.PLATEN_DATA, "SELECT password_hash FROM accounts");
  expect(await Bun.password.verify("correct horse battery", password_hash as string)).toBe(true);

  const again = await callPlaten(["setup", "--email", "eve@example.com", "--title", "Mine"], { env });
  expect(again).toEqual({ code: 1, stdout: "", stderr: "This instance is set up already.\n" });
});

test("a rejected setup leaves nothing, and exits with 2 if an argument is wrong", async () => {
  const env = { PLATEN_DATA: freshFolder() };
  const type =
    "Type: platen setup --email E --title T [--name N] [--slug S] [--password-stdin] [--data DIR]\n";
  const noBlog = await callPlaten(["setup", "--email", "ada@example.com", "--title", " "], { env });
  expect(noBlog).toEqual({ code: 2, stdout: "", stderr: `Title must not be empty. ${type}` });
  expect(onlyRow(env.PLATEN_DATA, "SELECT count(*) AS n FROM accounts")).toEqual({ n: 0 });

  const all = await callPlaten(
    ["setup", "--email", "ada", "--title", " ", "--slug", "!", "--password-stdin"],
    {
      env,
      stdin: "short",
    },
  );
  expect(all).toEqual({
    code: 2,
    stdout: "",
    stderr: `Email must be like you@example.com; password must be 10 to 1000 characters long; title must not be empty; slug must contain a letter or digit. ${type}`,
  });

  const short = await callPlaten(["setup", "--email", "a@example.com", "--title", "A", "--password-stdin"], {
    env,
    stdin: "short",
  });
  expect(short).toMatchObject({ code: 2, stdout: "" });
  expect(short.stderr).toStartWith("Password must be");
  const none = await callPlaten(["setup", "--email", "a@example.com", "--title", "A", "--password-stdin"], {
    env,
  });
  expect(none).toEqual({ code: 1, stdout: "", stderr: "Password is missing on standard input.\n" });
});

test("setup works while the server runs: the key is valid and the setup link is not", async () => {
  await using server = await startServer();
  const link = /Set up at (\S+)/.exec(server.stdout())?.[1] as string;
  expect((await fetch(link)).status).toBe(200);

  const key = (
    await callPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", server.data])
  ).stdout;
  const info = await fetch(`${server.url}/api/v1/info`, {
    headers: { authorization: `Bearer ${key.trim()}` },
  });
  expect(info.status).toBe(200);
  expect(await info.json()).toMatchObject({
    account: { email: "ada@example.com" },
    blogs: [{ title: "Ada" }],
  });
  expect((await fetch(link, { redirect: "manual" })).status).not.toBe(200);

  await callPlaten(["key", "revoke", "1", "--data", server.data]);
  const revoked = await fetch(`${server.url}/api/v1/info`, {
    headers: { authorization: `Bearer ${key.trim()}` },
  });
  expect(revoked.status).toBe(401);
});

function onlyRow(folder: string, question: string): Record<string, unknown> {
  using db = new Database(join(folder, "platen.db"));
  return db.query(question).get() as Record<string, unknown>;
}
