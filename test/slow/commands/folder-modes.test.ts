import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { picture, uploadForm } from "../../support/pictures";
import { freshFolder, runPlaten, startServer } from "../../support/program";

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

test.skipIf(process.getuid?.() !== 0)(
  "gives files that a command of root creates to the folder's owner",
  async () => {
    const data = freshFolder();
    await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"]);
    const entries = () =>
      readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => join(data, name));
    for (const path of [data, ...entries()]) chownSync(path, 1000, 1000);
    const site = freshFolder();
    mkdirSync(site);
    writeFileSync(join(site, "tree.jpg"), await picture());
    writeFileSync(join(site, "tree.md"), "# A tall tree\n\n![A tree](tree.jpg)\n");
    writeFileSync(join(site, "card.md"), "# No picture\n\nThe site draws a card.\n");
    const file = join(site, "of-root");
    writeFileSync(file, "");
    const commands = [
      ["import", "markdown", site, "--blog", "ada"],
      ["check", "--repair"],
      ["export", "static", join(site, "static"), "--blog", "ada"],
      ["snapshot"],
    ];
    for (const command of commands) {
      expect(await runPlaten([...command, "--data", data])).toMatchObject({ code: 0 });
      const sizes = join(dirname(entries().find((path) => path.endsWith("/tree.jpg")) as string), "sizes");
      // The owner of the folder may have made links.
      if (command[0] === "import") mkdirSync(sizes);
      if (command[0] === "import") symlinkSync(file, join(sizes, "link"));
    }
    expect(entries().some((path) => path.includes("/sizes/"))).toBe(true);
    expect(entries().some((path) => path.includes("/pictures/card"))).toBe(true);
    expect(entries().filter((path) => lstatSync(path).uid !== 1000)).toEqual([]);
    expect(statSync(file).uid).toBe(0);
  },
);

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
