import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JOB_KINDS } from "../../../src/commands/channels-and-job-kinds";
import { deletedMedia } from "../../../src/database/schema";
import { jobRunner } from "../../../src/jobs/job-runner";
import { deleteOldMediaFiles } from "../../../src/media/deleting-media";
import { mediaFolder } from "../../../src/media/files/media-folder";
import { periodicTasks } from "../../../src/upkeep/background-tasks";
import { checkMedia } from "../../../src/upkeep/check/media-check";
import { removeBlog } from "../../../src/upkeep/removal/removal";
import { fileNamed, MEDIA, upload } from "../../admin/media/files";
import { type Owned, startOwned } from "../../admin/owner";
import { picture } from "../../support/pictures";
import { HOUR, MINUTE } from "../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../support/program";
import { passUntilFilesDeleted } from "../../support/purged-files";

/** A blog with pictures of these names, with their folders and URLs. */
async function startWith(...names: string[]) {
  const owned = await startOwned();
  for (const name of names) await upload(owned, name);
  const files = names.map((name) => fileNamed(owned, name));
  return {
    owned,
    files: files.map(({ id, folder, filename }) => ({
      id,
      folder: mediaFolder(owned.platen, folder),
      path: `/media/${folder}/${filename}`,
    })),
  };
}

type File = Awaited<ReturnType<typeof startWith>>["files"][number];

const remove = (owned: Owned, { id }: File) => owned.browser.post(`${MEDIA}/${id}/delete`, {});

async function replace({ browser, platen }: Owned, { id }: File): Promise<void> {
  const body = new FormData();
  body.append("sent", "by hand");
  body.append("file", new Blob([await picture(30, 20)]), "other.jpg");
  await browser.send(`${MEDIA}/${id}/replace`, {
    method: "POST",
    headers: { origin: "http://blog.test" },
    body,
  });
  const runner = jobRunner(platen, JOB_KINDS);
  runner.step();
  await runner.settled();
}

const foldersLeft = (files: File[]) => files.map(({ folder }) => existsSync(folder));
const notes = ({ platen }: Owned) => platen.db.select().from(deletedMedia).all();

test.each([
  ["deleted", async (owned: Owned, file: File) => void (await remove(owned, file)), 404],
  ["replaced", replace, 301],
  ["removed with its blog", async ({ platen, blog }: Owned) => void (await removeBlog(platen, blog)), 404],
])(
  "a copy of the database before a file was %s, and of the media after, is complete",
  async (_how, act, status) => {
    const { owned, files } = await startWith("rain.jpg");
    const [file] = files as [File];
    const { data } = owned.platen.config;
    const copy = freshFolder();
    mkdirSync(copy);
    // Read in another process: closing the file in this one would release SQLite's locks.
    const copyFile = (name: string) => Bun.spawnSync(["cp", "-r", join(data, name), copy]).exitCode;
    expect(["platen.db", "platen.db-wal"].map(copyFile)).toEqual([0, 0]);
    await act(owned, file);
    expect((await owned.fetch(file.path, { redirect: "manual" })).status).toBe(status);
    owned.pass(2 * HOUR - MINUTE);
    periodicTasks(owned.platen).step();
    expect(copyFile("media")).toBe(0);
    expect(await runPlaten(["check", "--data", copy])).toMatchObject({ code: 0, stderr: "" });
    await using server = await startServer({ data: copy });
    expect((await fetch(`${server.url}${file.path}`)).status).toBe(200);
  },
);

test("a deleted file is removed after two hours with its record, and check reports nothing", async () => {
  const { owned, files } = await startWith("rain.jpg", "wind.jpg");
  const [rain] = files as [File];
  const checkReport = async () => {
    const { problems, remarks, files } = await checkMedia(owned.platen, () => {});
    return { problems, remarks, files };
  };
  await remove(owned, rain);
  expect(await checkReport()).toEqual({ problems: [], remarks: [], files: 1 });
  expect(foldersLeft(files)).toEqual([true, true]);
  owned.pass(2 * HOUR - 1);
  deleteOldMediaFiles(owned.platen);
  expect(foldersLeft(files)).toEqual([true, true]);
  expect((await owned.fetch(rain.path)).status).toBe(404);
  owned.pass(1);
  periodicTasks(owned.platen).step();
  expect(foldersLeft(files)).toEqual([false, true]);
  expect(notes(owned)).toEqual([]);
  expect(await checkReport()).toEqual({ problems: [], remarks: [], files: 1 });
});

test("a deletion resumes if it was interrupted between a file and its record", async () => {
  const { owned, files } = await startWith("rain.jpg", "wind.jpg", "snow.jpg");
  for (const file of files) await remove(owned, file);
  rmSync(files[0]?.folder as string, { recursive: true });
  owned.pass(2 * HOUR);
  passUntilFilesDeleted(owned);
  expect(foldersLeft(files)).toEqual([false, false, false]);
  expect(notes(owned)).toEqual([]);
  expect(owned.log).toEqual([]);
});

test("on a nearly full disk, a deleted file is removed at once", async () => {
  const { owned, files } = await startWith("rain.jpg", "wind.jpg");
  const [rain] = files as [File];
  await remove(owned, rain);
  deleteOldMediaFiles(owned.platen, () => 70 * 1_048_576);
  expect(foldersLeft(files)).toEqual([false, true]);
});
