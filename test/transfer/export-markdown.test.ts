import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../support/pictures";
import { PROGRAM, runToEnd } from "../support/program";
import { temporaryFolder } from "../support/temporary";
import { comparable } from "./comparable";
import { startFullGarden } from "./full-garden";
import { startTransfer } from "./start-transfer";

const exportPath = (name: string) => join(temporaryFolder("export"), name);

test("a Markdown export imported again gives the same blog", async () => {
  await using from = await startFullGarden();
  await using to = await startTransfer();
  const place = exportPath("garden.zip");
  const ended = await from.platen("export", "markdown", place, "--blog", "garden");
  expect(ended).toEqual({
    code: 0,
    stdout: "Wrote 4 posts, 1 page, 2 komments, 1 message, 1 revision, 3 files.\n",
    stderr: "",
  });
  const look = await to.importFrom("markdown", place, "--dry-run");
  expect(look.stdout).toStartWith(
    "Would import 4 posts, 1 page, 2 komments, 3 files, 1 message, 1 revision.",
  );
  const { stdout } = await to.importFrom("markdown", place);
  expect(stdout).toStartWith("Imported 4 posts, 1 page, 2 komments, 3 files, 1 message, 1 revision.");
  expect(stdout).not.toContain("Not imported");
  // A picture of another site stays a link, and is not downloaded.
  expect(stdout).not.toContain("missing");

  const [before, after] = [await from.posts(), await to.posts()];
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  for (const slug of Object.keys(before)) {
    const { content, ...others } = before[slug];
    const { content: newContent, ...newOthers } = after[slug];
    expect(comparable(newOthers)).toEqual(comparable(others));
    expect(comparable(newContent.html)).toEqual(comparable(content.html));
    expect(newContent.source_type).toBe(content.source_type);
    if (content.source_type === "markdown")
      expect(comparable(newContent.source)).toEqual(comparable(content.source));
  }
  expect((await to.page("/tea-green-black-1")).headers.get("location")).toBe(`${to.url}/green-tea`);
  const { stdout: komments } = await to.platen("komment", "list", "--blog", "garden", "--json");
  expect(JSON.parse(komments)).toHaveLength(2);
});

test("text behind a picture stays in its paragraph, also after an import", async () => {
  await using from = await startTransfer();
  const body = uploadForm(await picture(90, 60), "cat.jpg");
  const headers = { authorization: `Bearer ${from.key}` };
  const uploaded = await fetch(`${from.url}/api/v1/attachments`, { method: "POST", headers, body });
  const { attachment } = (await uploaded.json()) as { attachment: { html: string } };
  const content = `<p>Before ${attachment.html} after.</p><p>Next</p>${attachment.html}`;
  await from.api("/posts", "POST", { post: { title: "Cat", content, alt_text: { "cat.jpg": "A cat" } } });
  const place = exportPath("garden");
  await from.platen("export", "markdown", place, "--blog", "garden");
  const image = '<img src="../media/cat.jpg" alt="A cat" width="90" height="60">';
  expect(readFileSync(join(place, "posts/cat.html"), "utf8")).toContain(
    `<p>Before ${image} after.</p><p>Next</p><figure>${image}</figure>`,
  );
  await using to = await startTransfer();
  await to.importFrom("markdown", place);
  const [before, after] = [await from.posts(), await to.posts()];
  expect(before.cat.content.html).toContain("</figure><p> after.</p>");
  expect(comparable(after.cat.content.html)).toEqual(comparable(before.cat.content.html));
});

test("revisions and messages are restored from Markdown once, with times and pictures", async () => {
  await using from = await startFullGarden();
  await using to = await startTransfer();
  const { "green-tea": tea } = await from.posts();
  const post = { content: "Another text.", meta: { hidden: true }, tags: ["One"] };
  await from.api(`/posts/${tea.id}`, "PATCH", { post });
  await from.api(`/posts/${tea.id}`, "PATCH", { post: { title: "Another title" } });
  const place = exportPath("garden");
  await from.platen("export", "markdown", place, "--blog", "garden");
  expect((await to.importFrom("markdown", place)).code).toBe(0);
  expect(revisionsAndMessages(to.data)).toEqual(revisionsAndMessages(from.data));
  const [, said = ""] = revisionsAndMessages(to.data).revisions.map((row) => String(row[5]));
  expect(said).toContain('filename="cat (1).jpg"');
  await to.platen("import", "undo", "1", "--yes");
  await to.importFrom("markdown", place);
  expect(revisionsAndMessages(to.data).messages).toHaveLength(1);
});

test("unlisted pages and reply posts are restored from Markdown", async () => {
  await using from = await startTransfer();
  await using to = await startTransfer();
  const micropub = ({ url, key }: typeof from, query: string, form?: Record<string, string>) =>
    fetch(`${url}/micropub${query}`, {
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
      headers: { authorization: `Bearer ${key}` },
    });
  const like = { h: "entry", "like-of": "https://example.org/a", content: "So true", "mp-slug": "like" };
  expect((await micropub(from, "", like)).status).toBe(201);
  await from.api(`/posts/${(await from.posts()).like.id}`, "PATCH", { post: { meta: { hidden: true } } });
  const place = exportPath("garden");
  await from.platen("export", "markdown", place, "--blog", "garden");
  expect((await to.importFrom("markdown", place)).code).toBe(0);
  expect((await to.posts()).like.meta.hidden).toBe(true);
  const source = await micropub(to, `?q=source&url=${encodeURIComponent(`${to.url}/like`)}`);
  expect((await source.json()).properties["like-of"]).toEqual(["https://example.org/a"]);
});

/** Revisions and messages, without ids. */
function revisionsAndMessages(data: string) {
  const db = new Database(join(data, "platen.db"), { readonly: true });
  const field = (name: string) => `json_extract(fields, '$.${name}')`;
  const fields =
    "title slug status type source sourceType category tags publishedAt updatedAt altText previewImage hidden replacedBy";
  const revisions = db
    .query(`SELECT replaced_at, ${fields.split(" ").map(field).join(", ")} FROM revisions ORDER BY id`)
    .values()
    .map((row) => row.map((value) => String(value).replace(/sgid="[^"]+"/g, "sgid")));
  const messages = db
    .query(
      "SELECT messages.created_at, messages.status, name, address, text, slug FROM messages LEFT JOIN posts ON posts.id = post_id",
    )
    .values();
  db.close();
  return { revisions, messages };
}

test("a Markdown export is readable by people and programs, and contains no secret", async () => {
  await using from = await startFullGarden();
  const place = exportPath("garden");
  await from.platen("export", "markdown", place, "--blog", "garden");
  const files = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const text = (path: string) => readFileSync(join(place, path), "utf8");
  const tea = text("posts/green-tea.md");
  expect(tea).toContain(
    'title: "Tea: \\"green\\" & \'black\' # 1"\nslug: "green-tea"\ndate: "2019-03-02T07:00:00.000Z"\n',
  );
  expect(tea).toContain('aliases: ["/tea-green-black-1"]');
  expect(tea).toMatch(/^description: "Text with .*More\."$/m);
  expect(tea).toContain('\nimage: "../media/cat%20(1).jpg"\n');
  expect(tea).toContain('![A cat \\[asleep\\]](../media/cat%20%281%29.jpg "My \\"cat\\" \\(one\\) \\`x\\`")');
  expect(text("posts/in-html.html")).toContain('<figure><img src="../media/leaf.png" alt="A `leaf` [green]');
  expect(Object.keys(Bun.YAML.parse(tea.split("---\n")[1] as string) as object)).toContain("alt_text");
  expect(text("posts/a-draft.md")).toContain("\ndraft: true\n");
  expect(text("messages.jsonl")).toContain('"text":"Hello there"');
  expect(text("komments/green-tea.jsonl")).toContain('"answer":{"text":"Thanks!"');
  expect(text("revisions/green-tea.jsonl")).toContain('"slug":"tea-green-black-1"');
  expect(JSON.parse(text("blog.json"))).toMatchObject({ title: "Garden", time_zone: "UTC" });
  expect(existsSync(join(place, "media/film.mp4"))).toBe(true);
  // It contains drafts and readers' addresses, so it is private.
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const paths = ["", "posts", "posts/green-tea.md", "media/film.mp4"].map((path) => join(place, path));
  expect(paths.map(modeOf)).toEqual([0o700, 0o700, 0o600, 0o600]);
  const { updated_at } = (await from.posts())["green-tea"];
  expect(statSync(join(place, "posts/green-tea.md")).mtime).toEqual(new Date(updated_at));
  const archive = exportPath("garden.zip");
  await from.platen("export", "markdown", archive, "--blog", "garden");
  expect(modeOf(archive)).toBe(0o600);
  const secrets = ["SECRET", "sgid", "platen_", (await from.posts())["green-tea"].meta.share_id];
  for (const file of files)
    for (const secret of secrets)
      expect([file, readFileSync(file, "latin1").includes(secret)]).toEqual([file, false]);
});

test("an export overwrites nothing, accepts an empty folder, and leaves no partial files", async () => {
  await using from = await startTransfer();
  const place = exportPath("there");
  mkdirSync(place);
  expect((await from.platen("export", "markdown", place, "--blog", "garden")).code).toBe(0);
  const again = await from.platen("export", "markdown", place, "--blog", "garden");
  expect(again).toEqual({
    code: 1,
    stdout: "",
    stderr: `${place} already exists. Choose a new path or an empty folder.\n`,
  });
  writeFileSync(`${place}.zip`, "mine");
  expect((await from.platen("export", "markdown", `${place}.zip`, "--blog", "garden")).code).toBe(1);
  expect(readFileSync(`${place}.zip`, "utf8")).toBe("mine");
  const nowhere = await from.platen("export", "markdown", join(place, "no/where"), "--blog", "garden");
  expect(nowhere.stderr).toBe(`Folder ${place}/no does not exist.\n`);
  expect(readdirSync(join(place, "..")).toSorted()).toEqual(["there", "there.zip"]);
});

test("an export that is cancelled, or has no room for a file, leaves no files", async () => {
  await using from = await startFullGarden();
  const [folder = ""] = readdirSync(join(from.data, "media")).filter((one) =>
    existsSync(join(from.data, "media", one, "film.mp4")),
  );
  truncateSync(join(from.data, "media", folder, "film.mp4"), 4_000_000_000);
  const place = exportPath("garden.zip");
  const filesInFolder = () => readdirSync(join(place, ".."));
  const exportCommand = (place: string) => [
    "export",
    "markdown",
    place,
    "--blog",
    "garden",
    "--data",
    from.data,
  ];
  const child = Bun.spawn([...PROGRAM, ...exportCommand(place)], { stderr: "pipe" });
  while (filesInFolder().length === 0) await Bun.sleep(1);
  expect(filesInFolder()).toEqual([expect.stringMatching(/^\./)]);
  child.kill("SIGINT");
  expect([await new Response(child.stderr).text(), await child.exited]).toEqual([
    "The export was stopped; no exported files were kept.\n",
    1,
  ]);
  expect(filesInFolder()).toEqual([]);

  const words = exportCommand(join(place, "../garden"));
  const limited = ["sh", "-c", 'ulimit -f 20000; exec "$0" "$@"', ...PROGRAM, ...words];
  const { code, stderr } = await runToEnd(limited);
  expect([code, stderr]).toEqual([1, expect.stringContaining("does not support files this large")]);
  expect(filesInFolder()).toEqual([]);
});

test("a missing file is reported, and everything else exported", async () => {
  await using from = await startFullGarden();
  const [folder] = readdirSync(join(from.data, "media")).filter((name) =>
    existsSync(join(from.data, "media", name, "leaf.png")),
  );
  rmSync(join(from.data, "media", folder as string, "leaf.png"));
  const ended = await from.platen("export", "markdown", exportPath("garden.zip"), "--blog", "garden");
  expect(ended.code).toBe(1);
  expect(ended.stdout).toStartWith("Wrote 4 posts, 1 page");
  expect(ended.stderr).toBe("leaf.png: file is missing.\n");
});
