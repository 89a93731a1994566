import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../../src/errors";
import { type Purpose, whenThereIsMemory } from "../../../src/media/decoder/decoding";
import { mediaPath, posterPath, renditionPath, thumbnailPath } from "../../../src/media/files/media-urls";
import { ensureRendition } from "../../../src/media/renditions";
import { emptyFrames, firstBox, picture, upload } from "../../media/samples";
import { uploadForm } from "../../support/pictures";
import { MINUTE, startPlaten } from "../../support/platen";
import { type RunningServer, runPlaten, setUpBlog, startServer } from "../../support/program";

describe("the decoder process", () => {
  test("starts on demand, loads libvips instead of the server, has low priority, and ends with the server", async () => {
    const { server, key } = await startFilled();
    expect(decodersOf(server)).toEqual([]);
    const { attachment } = await uploadPhoto(server, key, await picture.jpeg(1000, 500));
    const answer = await fetch(`${folderOf(attachment.url)}/sizes/480.webp`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const [decoder = 0, ...others] = decodersOf(server);
    expect(others).toEqual([]);
    expect(readFileSync(`/proc/${decoder}/maps`, "latin1")).toContain("libvips");
    expect(readFileSync(`/proc/${server.pid}/maps`, "latin1")).not.toContain("libvips");
    expect(Number(statOf(decoder)[16])).toBe(19);
    expect(readFileSync(`/proc/${decoder}/oom_score_adj`, "latin1").trim()).toBe("1000");
    await server.kill();
    while (existsSync(`/proc/${decoder}/maps`) && statOf(decoder)[0] !== "Z") await new Promise(setImmediate);
  });

  test("may be killed at any moment: nothing is lost, and another one starts", async () => {
    const { server, key } = await startFilled();
    const photo = await picture.jpeg(3000, 2000);
    const killed = new Set<number>();
    const kill = () => {
      for (const decoder of decodersOf(server))
        if (killed.size < 2 && !killed.has(decoder)) {
          killed.add(decoder);
          killDecoder(decoder);
        }
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const answer = await uploadPhoto(server, key, photo);
        kill();
        return answer;
      }),
    );
    const sizes = await Promise.all(
      answers.flatMap(({ attachment }) =>
        ["480.webp", "1920.webp", "thumb.webp"].map(async (name) => {
          const { status } = await fetch(`${folderOf(attachment.url)}/sizes/${name}`);
          kill();
          return status;
        }),
      ),
    );
    expect(killed.size).toBe(2);
    expect(new Set(sizes)).toEqual(new Set([200]));
    expect(server.stderr()).not.toContain("blank");
    await server.stop();
  });
});

/** The process may have ended already. */
function killDecoder(decoder: number): void {
  try {
    process.kill(decoder, "SIGKILL");
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "ESRCH") throw fault;
  }
}

test("an upload that kills the decoder is rejected, leaves no file, and the server keeps serving", async () => {
  let { server, key, answer } = await uploadWhileDecodersAreKilled();
  // On a busy machine an upload may succeed before its decoder was seen.
  while (answer.status === 201) {
    await server.stop();
    ({ server, key, answer } = await uploadWhileDecodersAreKilled());
  }
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({
    errors: { file: ["cannot be decoded"] },
  });
  expect(readdirSync(join(server.data, "media")).filter((name) => name !== ".incoming")).toEqual([]);
  expect(readdirSync(join(server.data, "media", ".incoming"))).toEqual([]);
  await uploadPhoto(server, key, await picture.jpeg());
  await server.stop();
});

async function uploadWhileDecodersAreKilled() {
  const { server, key } = await startFilled();
  const photo = uploadForm(new Uint8Array(await picture.jpeg()), "photo.jpg");
  let isOver = false;
  const sending = post(server, key, photo).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const decoder of decodersOf(server)) killDecoder(decoder);
    await new Promise(setImmediate);
  }
  return { server, key, answer: await sending };
}

test("a picture that needs too much memory is rejected with a message; others are accepted", async () => {
  const { platen } = startPlaten({ memory: 1 });
  const refusal = await upload(platen, emptyFrames(5000, 2000, 1), "large.gif").catch((fault) => fault);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal.fields.file).toEqual([
    "needs too much memory to decode: 86 MB, but this server has 64 MB. Save it smaller or as a baseline JPEG.",
  ]);
  expect((await upload(platen, await picture.jpeg(5000, 2000), "large.jpg")).width).toBe(5000);
});

test("renditions that cannot be written redirect to the file, and are tried again after a minute", async () => {
  const { platen, log, pass, fetch } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "wide.jpg");
  const sizes = join(platen.config.data, "media", blob.folder, "sizes");
  writeFileSync(sizes, "in the way");
  const ask = () => fetch(`/media/${blob.folder}/sizes/480.webp`);
  for (const _turn of [1, 2]) {
    const { status, headers } = await ask();
    expect([status, headers.get("location"), headers.get("cache-control")]).toEqual([
      307,
      mediaPath(blob),
      "no-store",
    ]);
  }
  expect(log).toEqual([expect.stringContaining(`Renditions of media/${blob.folder} could not be made`)]);
  rmSync(sizes);
  expect((await ask()).status).toBe(307);
  pass(MINUTE);
  expect((await ask()).status).toBe(200);
  expect(readdirSync(sizes).sort()).toEqual(["480.webp", "thumb.webp"]);
  expect(readdirSync(join(platen.config.data, "media", ".incoming"))).toEqual([]);
  expect(log).toHaveLength(1);
});

test("a rendition that cannot be made redirects to the original", async () => {
  const { platen, fetch } = startPlaten();
  const photo = await upload(platen, await picture.jpeg(2000, 100), "wide.jpg");
  const film = await upload(platen, await picture.animatedGif(), "film.gif");
  const poster = await picture.png(800, 800);
  const video = await upload(platen, firstBox("isom"), "a.mp4", { poster });
  const plain = await upload(platen, firstBox("isom"), "b.mp4");
  expect((await fetch(thumbnailPath(photo))).status).toBe(200);
  const incoming = join(platen.config.data, "media", ".incoming");
  rmSync(incoming, { recursive: true });
  writeFileSync(incoming, "in the way");
  const redirectOf = async (path: string) => {
    const { status, headers } = await fetch(path);
    expect([path, status, headers.get("cache-control")]).toEqual([path, 307, "no-store"]);
    return headers.get("location");
  };
  for (const width of [480, 960, 1440, 1920])
    expect(await redirectOf(renditionPath(photo, width))).toBe(mediaPath(photo));
  expect(await redirectOf(thumbnailPath(film))).toBe(mediaPath(film));
  expect(await redirectOf(thumbnailPath(video))).toBe(posterPath(video) as string);
  const { status, headers } = await fetch(thumbnailPath(plain));
  expect([status, headers.get("cache-control")]).toEqual([503, "no-store"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
});

test("a picture whose file is missing gets no placeholder", async () => {
  const { platen, log } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "wide.jpg");
  rmSync(join(platen.config.data, "media", blob.folder, "wide.jpg"));
  expect(await ensureRendition(platen, blob, "480.webp")).toBeNull();
  expect(log.join()).toContain("could not be made");
});

describe("decoding tasks", () => {
  const together = 100;

  test("run in parallel within the memory limit; a larger task runs alone, and all run in order", async () => {
    const running = new Set<number>();
    const seen: number[][] = [];
    const runTask = (need: number) =>
      whenThereIsMemory({ need, together, purpose: "card" }, async () => {
        running.add(need);
        seen.push([...running]);
        await new Promise(setImmediate);
        running.delete(need);
      });
    await Promise.all([40, 41, 80, 1000, 10, 30].map(runTask));
    expect(seen.map((needs) => needs.at(-1))).toEqual([40, 41, 80, 1000, 10, 30]);
    for (const needs of seen)
      expect(needs.length === 1 || needs.reduce((sum, need) => sum + need) <= together).toBe(true);
    expect(seen).toContainEqual([40, 41]);
    expect(seen).toContainEqual([1000]);
  });

  test("run uploads first and cards last; a full queue rejects only its own kind", async () => {
    const order: string[] = [];
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    const runTask = (purpose: Purpose, name: string = purpose) =>
      whenThereIsMemory({ need: together, together, purpose }, async () => {
        await isOpen;
        order.push(name);
      });
    const cards = Array.from({ length: 1001 }, (_, index) => runTask("card", `card ${index}`));
    const refusal = await runTask("card").catch((fault) => fault);
    expect(refusal).toMatchObject({ kind: "throttled", retryAfter: 30 });
    const others = (["thumbnail", "rendition", "upload"] as const).map((purpose) => runTask(purpose));
    open();
    await Promise.all([...cards, ...others]);
    expect(order.slice(0, 5)).toEqual(["card 0", "upload", "rendition", "thumbnail", "card 1"]);
    expect(order).toHaveLength(1004);
  });
});

async function startFilled() {
  const { data } = await setUpBlog();
  const made = await runPlaten(["key", "add", "--account", "ada@example.com", "--data", data]);
  const key = /platen_[\w-]+/.exec(made.stdout)?.[0] as string;
  return { server: await startServer({ data }), key };
}

async function uploadPhoto(server: RunningServer, key: string, bytes: Uint8Array) {
  const answer = await post(server, key, uploadForm(new Uint8Array(bytes), "photo.jpg"));
  expect(answer.status).toBe(201);
  return (await answer.json()) as { attachment: { url: string } };
}

const post = (server: RunningServer, key: string, body: FormData) =>
  fetch(`${server.url}/api/v1/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body,
  });

const folderOf = (url: string) => url.slice(0, url.lastIndexOf("/"));

/** The fields of /proc/PID/stat from the third on: state, parent, … */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
  } catch {
    return [];
  }
}

function decodersOf(server: RunningServer): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const [state, parent] = statOf(pid);
    return state !== "Z" && Number(parent) === server.pid;
  });
}
