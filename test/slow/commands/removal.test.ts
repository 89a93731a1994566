import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { openWithoutPlaten } from "../../support/other-program";
import { picture, uploadForm } from "../../support/pictures";
import { type CommandResult, freshFolder, PROGRAM, runPlaten, startServer } from "../../support/program";
import { until } from "../../support/waiting";

const FILES = 12;

/** A folder with a home blog, and a second one that has a post with twelve pictures. */
async function filledFolder(): Promise<string> {
  const data = freshFolder();
  const platen = (...args: string[]) => runPlaten([...args, "--data", data]);
  const key = await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  await platen("blog", "add", "--account", "ada@example.com", "--title", "Second", "--slug", "second");
  await platen("key", "add", "--account", "ada@example.com", "--blog", "second");
  await using server = await startServer({ data });
  const headers = { authorization: `Bearer ${key.stdout.trim()}` };
  const send = async (path: string, body: FormData | string) =>
    await (await fetch(`${server.url}/api/v1${path}`, { method: "POST", headers, body })).json();
  const bytes = await picture();
  let content = "";
  for (let count = 0; count < FILES; count++) {
    const { attachment } = await send("/attachments", uploadForm(bytes, "hill.jpg", { blog_id: "2" }));
    content += attachment.html;
  }
  await send(
    "/posts",
    JSON.stringify({ post: { blog_id: 2, title: "Hills", content, status: "published" } }),
  );
  await send("/posts", JSON.stringify({ post: { blog_id: 1, title: "Home", status: "published" } }));
  await server.stop();
  return data;
}

test("without --yes the command prints what would be deleted; with it the running server shows the effect", async () => {
  const data = await filledFolder();
  await using server = await startServer({ data });
  const remove = (...args: string[]) => runPlaten([...args, "--data", data]);
  const numbers = "the blog second (1 post, 12 files (4 KB), 0 komments, 0 messages, 0 webhooks, 1 key)";
  expect(await remove("blog", "remove", "second")).toEqual({
    code: 2,
    stdout: "",
    stderr: `This would remove ${numbers}. Type: platen blog remove second --yes --data ${data}\n`,
  });
  expect((await fetch(`${server.url}/@second/hills`)).status).toBe(200);

  const done = await remove("blog", "remove", "second", "--yes");
  expect(done).toMatchObject({ code: 0, stderr: "" });
  const [, folder] = /^Removed; a copy is in (.*)\n$/.exec(done.stdout) ?? [];
  expect((await fetch(`${server.url}/@second/hills`)).status).toBe(404);
  const checked = async (where: string) => withoutSizes(await runPlaten(["check", "--data", where]));
  const [post, files] = ["Everything is in order: 1 post", `${FILES} files.\n`];
  expect(await checked(data)).toEqual({ code: 0, stdout: `${post}, 0 files.\n`, stderr: "" });
  expect(await checked(folder as string)).toEqual({ code: 0, stdout: `${post}, ${files}`, stderr: "" });
  const waiting = readdirSync(join(data, "media")).filter((name) => !name.startsWith("."));
  expect(waiting).toHaveLength(FILES);
  for (const upload of waiting)
    for (const name of readdirSync(join(data, "media", upload)))
      expect((await fetch(`${server.url}/media/${upload}/${name}`)).status).toBe(404);
});

test("removing the home blog names its successor; the last admin's account is rejected", async () => {
  const data = await filledFolder();
  await using server = await startServer({ data });
  const remove = (...args: string[]) => runPlaten([...args, "--data", data]);
  const done = await remove("blog", "remove", "ada", "--yes");
  expect(done.stdout.split("\n")[1]).toBe(
    `The home blog is now second, at ${server.url}/ (before: ${server.url}/@second/)`,
  );
  const moved = await fetch(`${server.url}/@second/hills`, { redirect: "manual" });
  expect(moved.headers.get("location")).toBe(`${server.url}/hills`);
  await remove("account", "add", "--email", "bob@example.com");
  for (const more of [[], ["--yes"]])
    expect(await remove("account", "remove", "--email", "ada@example.com", ...more)).toEqual({
      code: 1,
      stdout: "",
      stderr: "This is the last admin and cannot be removed. Make another account an admin first.\n",
    });
  await remove("account", "add", "--email", "eve@example.com", "--admin");
  const confirmation = await remove("account", "remove", "--email", "ada@example.com");
  expect(confirmation.stderr).toStartWith(
    "This would remove the account ada@example.com (2 keys), the blog second (1 post, 12 files (4 KB), ",
  );
  const gone = await remove("account", "remove", "--email", "ada@example.com", "--yes");
  expect(gone.stdout.split("\n")[1]).toBe("No blogs are left. To add one, run: platen blog add");
  expect(JSON.parse((await remove("account", "list", "--json")).stdout)).toHaveLength(2);
});

/** A change in the data folder, after which the removal is killed → what it has started. */
const KILLED_AT: [change: RegExp, begun: string][] = [
  [/^removed\/\.blogs-2$/, "the copy"],
  [/^removed\/\.blogs-2\/media\/\w+$/, "the copy's media"],
  [/^removed\/\.blogs-2\/platen\.db$/, "the copy's database"],
  [/^removed\/\.blogs-2\/platen\.db-wal$/, "the copy's rows"],
  [/^removed\/2/, "naming the copy"],
];

test("a removal that was killed resumes at the next start, and the copy is complete", async () => {
  const filled = await filledFolder();
  mkdirSync(join(filled, "removed"));
  for (const [change, begun] of KILLED_AT) {
    const data = freshFolder();
    cpSync(filled, data, { recursive: true });
    const platen = async (command: string, where = data) =>
      withoutSizes(await runPlaten([...command.split(" "), "--data", where])).stdout;
    await removeAndKill(data, change);

    expect([begun, await platen("blog list")]).not.toContain("second");
    const server = await startServer({ data });
    for (const path of ["/@second/", "/@second/hills"])
      expect([begun, (await fetch(`${server.url}${path}`)).status]).toEqual([begun, 404]);
    const unfinished = () => {
      using db = openWithoutPlaten(data);
      return db.query("SELECT * FROM jobs WHERE state IN ('queued', 'running')").all();
    };
    await until(async () => unfinished().length === 0, "all jobs to end", unfinished);
    await server.stop();
    const copies = readdirSync(join(data, "removed"));
    expect([begun, copies.length]).toEqual([begun, 1]);
    const copy = join(data, "removed", copies[0] as string);
    const inOrder = `Everything is in order: 1 post, ${FILES} files.\n`;
    expect([begun, await platen("check", copy)]).toEqual([begun, inOrder]);
    expect([begun, await platen("check")]).toEqual([begun, "Everything is in order: 1 post, 0 files.\n"]);
  }
});

async function removeAndKill(data: string, change: RegExp): Promise<void> {
  const typed = ["blog", "remove", "second", "--yes", "--data", data];
  const child = Bun.spawn([...PROGRAM, ...typed], { stdout: "ignore", stderr: "ignore" });
  const watcher = watch(data, { recursive: true }, (_event, name) => {
    if (change.test(String(name))) child.kill("SIGKILL");
  });
  await child.exited;
  watcher.close();
}

/** Renditions may exist before the server stopped or not; a copy has none. */
function withoutSizes(ended: CommandResult): CommandResult {
  return { ...ended, stdout: ended.stdout.replace(/^.* smaller sizes, .*\n/m, "") };
}
