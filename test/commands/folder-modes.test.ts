import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../support/pictures";
import { freshFolder, runPlaten, startServer } from "../support/program";

test("every file is readable by its owner only, even in a folder that others can read", async () => {
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

test("every command rejects a folder that others can write to, and prints the repair command", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"]);
  const backups = freshFolder();
  await runPlaten(["backup", backups, "--data", data]);
  const empty = freshFolder();
  mkdirSync(empty);
  const refused = async (mode: number, folder: string, ...command: string[]) => {
    chmodSync(folder, mode);
    expect([command, await runPlaten([...command, "--data", folder])]).toEqual([
      command,
      {
        code: 1,
        stdout: "",
        stderr: `Other users can write to ${folder}; remove that permission: chmod go-w ${folder}\n`,
      },
    ]);
  };
  await refused(0o757, data, "serve");
  for (const command of ["serve", "blog list", "check", "check --repair", "snapshot", "recover", "rollback"])
    await refused(0o770, data, ...command.split(" "));
  await refused(0o770, data, "setup", "--email", "eve@example.com", "--title", "Eve");
  await refused(0o770, data, "backup", backups);
  await refused(0o770, empty, "restore", backups);
  expect(readdirSync(empty)).toEqual([]);
  chmodSync(data, 0o750);
  expect((await runPlaten(["blog", "list", "--data", data])).code).toBe(0);
});
