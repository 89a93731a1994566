import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { blobInFolder } from "../../src/media/files/blobs";
import { mediaFolder } from "../../src/media/files/media-folder";
import { mediaPath, thumbnailPath } from "../../src/media/files/media-urls";
import type { Platen } from "../../src/platen";
import { mediaRoutes } from "../../src/site/serving/media-routes";
import { startPlaten } from "../support/platen";
import { firstBox, picture, upload } from "./samples";

const servers: { stop(): unknown }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** Bun's server handles Range, so these tests use a socket. */
function serve(platen: Platen): string {
  const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: mediaRoutes(platen).fetch });
  servers.push(server);
  return server.url.origin;
}

test("a file is served with its type, an immutable cache header and safe headers", async () => {
  const { platen, fetch } = startPlaten();
  const bytes = await picture.png();
  const blob = await upload(platen, bytes, "two cats & a 'dog' 猫?.png");
  const answer = await fetch(mediaPath(blob));
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": expect.stringContaining("sandbox"),
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

test("a client that has the file gets 304", async () => {
  const { platen, fetch } = startPlaten();
  const blob = await upload(platen, await picture.png(), "cat.png");
  const etag = (await fetch(mediaPath(blob))).headers.get("etag") as string;
  const again = await fetch(mediaPath(blob), { headers: { "if-none-match": `W/"x", ${etag}` } });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
  expect((await fetch(mediaPath(blob), { headers: { "if-none-match": `"x"` } })).status).toBe(200);
});

test("a rendition is made on its first request", async () => {
  const { platen, fetch } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "cat.jpg");
  const answer = await fetch(thumbnailPath(blob));
  expect(answer.headers.get("content-type")).toBe("image/webp");
  expect(await sharp(await answer.arrayBuffer()).metadata()).toMatchObject({ width: 400, height: 200 });
  expect((await fetch(`/media/${blob.folder}/sizes/960.webp`)).status).toBe(200);
  expect((await fetch(`/media/${blob.folder}/sizes/1440.webp`)).status).toBe(404);
});

test("the first request of a rendition of an imported photo also makes thumbnail and placeholder", async () => {
  const { platen, fetch } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(1000, 500), "cat.jpg");
  expect((await fetch(`/media/${blob.folder}/sizes/960.webp`)).status).toBe(200);
  expect(existsSync(mediaFolder(platen, blob.folder, "sizes", "thumb.webp"))).toBe(true);
  expect(blobInFolder(platen, blob.folder)?.placeholder).toStartWith("data:image/webp");
});

test("originals, other files and paths outside the media folder return 404", async () => {
  const { platen, fetch } = startPlaten();
  const blob = await upload(platen, await picture.turned(), "cat.jpg");
  const folder = `/media/${blob.folder}`;
  writeFileSync(join(platen.config.data, "media", "secret.png"), "secret");
  writeFileSync(join(platen.config.data, "media", blob.folder, "page.html"), "secret");
  writeFileSync(join(platen.config.data, "media", blob.folder, ".hidden.png"), "secret");
  mkdirSync(join(platen.config.data, "media", blob.folder, "folder.png"));
  const paths = [
    `${folder}/.original`,
    `${folder}/%2eoriginal`,
    `${folder}/.hidden.png`,
    `${folder}/%2Ehidden.png`,
    `${folder}/page.html`,
    `${folder}/folder.png`,
    `${folder}/`,
    folder,
    "/media/",
    "/media",
    "/media/.incoming/x.png",
    "/media/secret.png",
    `${folder}/../secret.png`,
    `${folder}/%2e%2e/secret.png`,
    `${folder}/..%2fsecret.png`,
    `${folder}/..%5csecret.png`,
    `${folder}/sizes/..%2fcat.jpg`,
    `${folder}/sizes/.thumb.webp`,
    `${folder}/sizes/thumb.webp/x`,
    `${folder}/cat.jpg%00`,
    `${folder}/%00.jpg`,
    `${folder}/%`,
    `${folder}/%ff.jpg`,
    `${folder}/${"x".repeat(5000)}.jpg`,
    `${folder.toUpperCase()}/cat.jpg`,
    `/media/%2e%2e/platen.db`,
    `/media/..%2f..%2fetc%2fpasswd`,
  ];
  for (const path of paths) {
    const answer = await fetch(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.text()).not.toContain("secret");
  }
  expect((await fetch(mediaPath(blob))).status).toBe(200);
});

test("a video is served in ranges", async () => {
  const { platen } = startPlaten();
  const bytes = firstBox("isom", ["mp42"], 10_000);
  bytes.fill(7, 9500);
  const blob = await upload(platen, bytes, "film.mp4");
  const address = serve(platen) + mediaPath(blob);
  const piece = async (range: string) => {
    const answer = await fetch(address, { headers: { range } });
    return {
      status: answer.status,
      range: answer.headers.get("content-range"),
      type: answer.headers.get("content-type"),
      bytes: Buffer.from(await answer.arrayBuffer()),
    };
  };

  const first = await piece("bytes=0-99");
  expect(first).toMatchObject({ status: 206, range: "bytes 0-99/10000", type: "video/mp4" });
  expect(first.bytes.equals(bytes.subarray(0, 100))).toBe(true);
  const last = await piece("bytes=-500");
  expect(last).toMatchObject({ status: 206, range: "bytes 9500-9999/10000" });
  expect(last.bytes.equals(bytes.subarray(9500))).toBe(true);
  expect((await piece("bytes=9990-")).bytes.length).toBe(10);
  expect((await piece("bytes=10000-")).status).toBe(416);

  const whole = await fetch(address);
  expect(whole.headers.get("accept-ranges")).toBe("bytes");
  expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
});

test("HEAD returns type and length without the file", async () => {
  const { platen } = startPlaten();
  const bytes = firstBox("isom", [], 10_000);
  const blob = await upload(platen, bytes, "film.mp4");
  const answer = await fetch(serve(platen) + mediaPath(blob), { method: "HEAD" });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-length")).toBe("10000");
  expect(answer.headers.get("content-type")).toBe("video/mp4");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await answer.text()).toBe("");
});
