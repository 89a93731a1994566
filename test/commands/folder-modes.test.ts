import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../support/pictures";
import { freshFolder, runPlaten, startServer } from "../support/program";

test("all that is written is its owner's alone, in a folder that others may look into too", async () => {
  const data = freshFolder();
  mkdirSync(data);
  chmodSync(data, 0o755);
  const setup = await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"]);
  await using server = await startServer({ data });
  const uploaded = await fetch(`${server.url}/api/v1/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${setup.stdout.trim()}` },
    body: uploadForm(await picture(), "tree.jpg"),
  });
  expect(uploaded.status).toBe(201);
  const open = readdirSync(data, { recursive: true, encoding: "utf8" }).filter(
    (name) => (statSync(join(data, name)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
});

test("a folder that everybody can write to is refused, with the line that mends it", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"]);
  chmodSync(data, 0o757);
  for (const command of ["serve", "blog list"])
    expect(await runPlaten([...command.split(" "), "--data", data])).toEqual({
      code: expect.any(Number),
      stdout: "",
      stderr: `Anybody on this machine can write to ${data}; take that away first: chmod o-w ${data}\n`,
    });
  chmodSync(data, 0o755);
  expect((await runPlaten(["blog", "list", "--data", data])).code).toBe(0);
});
