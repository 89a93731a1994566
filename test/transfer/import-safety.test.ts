import { expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { folderWith, jpeg, startMoving } from "./moving";
import { zipped } from "./zipped";

const post = (title: string, body = "Text.") => `---\ntitle: ${title}\ndate: 2020-01-01\n---\n${body}`;
const archive = async (files: Parameters<typeof zipped>[0]) =>
  join(await folderWith(null, { "site.zip": zipped(files) }), "site.zip");

test("an archive is read as a folder is, whatever folder everything in it lies in", async () => {
  await using at = await startMoving();
  const files = [
    { path: "site/posts/one.md", content: post("One", "![A](one.jpg)") },
    { path: "site/posts/one.jpg", content: await jpeg() },
    { path: "__MACOSX/site/posts/._one.md", content: "nothing" },
  ];
  const { stdout } = await at.bring("auto", await archive(files));
  expect(stdout).toStartWith("Brought 1 post, 0 pages, 0 komments, 1 file.");
  expect((await at.posts()).one.content.html).toContain('alt="A"');
});

test("a file that leads out of the archive is nobody's: the archive is refused, and nothing is written beside it", async () => {
  await using at = await startMoving();
  const path = await archive([
    { path: "one.md", content: post("One") },
    { path: "../../slipped.md", content: post("Slipped") },
  ]);
  const { code, stderr } = await at.bring("markdown", path);
  expect({ code, stderr: stderr.trim() }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^.*site\.zip cannot be read as a ZIP archive: invalid relative path: .*\.$/,
    ),
  });
  expect(existsSync(join(dirname(dirname(path)), "slipped.md"))).toBe(false);
  expect(await at.posts()).toEqual({});
});

test("what is damaged, or longer than it says, is told of; the rest goes on", async () => {
  await using at = await startMoving();
  const path = await archive([
    { path: "good.md", content: post("Good") },
    { path: "changed.md", content: post("Changed"), says: { crc: 1 } },
    { path: "long.md", content: post("Long", "a".repeat(100_000)), says: { size: 10 } },
  ]);
  const { code, stdout } = await at.bring("markdown", path);
  expect(code).toBe(0);
  expect(stdout).toStartWith("Brought 1 post,");
  expect(stdout).toContain("  changed.md is damaged: its checksum is wrong.");
  expect(stdout).toMatch(/long\.md is damaged: too many bytes/);
  expect(Object.keys(await at.posts())).toEqual(["good"]);
});

test("an archive that would grow beyond all measure is left alone", async () => {
  await using at = await startMoving();
  const bomb = { path: "bomb.md", content: Buffer.alloc(10_000_000), says: { size: 4_000_000_000 } };
  const { code, stderr } = await at.bring("markdown", await archive([bomb]));
  expect(code).toBe(1);
  expect(stderr).toContain("would grow beyond all measure");
});

test("links lead nowhere, and no file of the machine is read by its address", async () => {
  await using at = await startMoving();
  const secret = join(await folderWith(null, { "secret.jpg": await jpeg() }), "secret.jpg");
  const body = `![a](linked.jpg) ![b](file://${secret}) ![c](../../../../../../../../..${secret}) ![d](${secret})`;
  const folder = await folderWith(null, { "one.md": post("One", body) });
  symlinkSync(secret, join(folder, "linked.jpg"));
  symlinkSync("/etc/hostname", join(folder, "two.md"));
  const { stdout } = await at.bring("markdown", folder);
  expect(stdout).toStartWith("Brought 1 post, 0 pages, 0 komments, 0 files.");
  expect((await at.api("/attachments")).attachments).toEqual([]);
});

test("scripts and frames in what is brought in do not come out", async () => {
  await using at = await startMoving();
  const body = `<script>alert(1)</script><p onclick="alert(2)">Hello</p><iframe src="https://evil.example/"></iframe>`;
  await at.bring("markdown", await folderWith(null, { "one.md": post("One", body) }));
  const page = await (await at.page("/one")).text();
  expect(page).toContain("<p>Hello</p>");
  expect(page).not.toMatch(/alert\(|evil\.example/);
});
