import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { FILM, startWithStore } from "../../media/store/with-store";
import { picture } from "../../support/pictures";
import { startServer } from "../../support/program";
import { until } from "../../support/waiting";

test("while S3 is down, pages are served and uploads accepted; files in S3 return 503", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  await at.move();
  at.store.stop();
  expect((await at.get("/")).status).toBe(200);
  const answer = await at.get(cat);
  expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([
    503,
    "This file is on storage that cannot be reached right now. Try again later.\n",
    "no-store",
  ]);
  expect(answer.headers.get("retry-after")).toBe("30");
  for (let again = 0; again < 3; again++) expect((await at.get(cat)).status).toBe(503);
  expect(
    at.server.stderr().split("A file in the object store could not be sent: s3://shelf/blog cannot"),
  ).toHaveLength(2);
  expect((await at.get(cat, { method: "HEAD" })).status).toBe(200);
  const late = await at.upload("late.jpg");
  expect((await at.get(late)).status).toBe(200);
  expect([...at.inFolder().keys()]).toEqual([late.slice(1)]);
  expect(await (await at.get("/readyz?full")).text()).toContain(
    "media: 1 at s3://shelf/blog, 1 in the folder",
  );
  expect(await at.run("check")).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(
      "s3://shelf/blog cannot be used: ConnectionRefused; its files (1) were not checked.\n",
    ),
  });
  expect((await at.run("doctor")).stdout).toContain(
    "✗ media: s3://shelf/blog cannot be used: ConnectionRefused.",
  );
  expect(await at.move("folder")).toEqual({
    code: 1,
    stdout: "",
    stderr: "s3://shelf/blog cannot be used: ConnectionRefused.\n",
  });
});

test("the log and metrics say why uploads wait in the folder", async () => {
  await using at = await startWithStore();
  await at.move();
  at.store.gate((line) => (line.startsWith("PUT") ? "refuse" : "pass"));
  await at.upload("cat.jpg");
  await at.server.untilStderr(/Media cannot be moved to S3: s3:\/\/shelf\/blog cannot be used: \w+\.\n/);
  const readiness = await (await at.get("/readyz?full")).text();
  expect(readiness).toContain("media: 0 at s3://shelf/blog, 1 in the folder");
  expect(readiness).toMatch(/media wait: s3:\/\/shelf\/blog cannot be used: \w+\./);
});

test("a rendition gets Retry-After while S3 fails, is served later, and is logged once", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg", await picture(600, 400));
  await at.move();
  const folder = cat.split("/").slice(0, 3).join("/");
  rmSync(join(at.data, folder), { recursive: true });
  at.store.gate(() => "refuse");
  const ask = () => at.get(`${folder}/sizes/480.webp`);
  const refused = await ask();
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  // A second attempt fails too.
  at.store.takeRequests();
  const isRequestedAgain = async () => {
    expect((await ask()).status).toBe(503);
    return at.store.takeRequests().length > 0;
  };
  await until(isRequestedAgain, "another request to the store");
  at.store.gate(() => "pass");
  const size = async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  };
  const answer = await until(size, "the size", at.server.stderr);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
  expect(at.server.stderr().split(`Renditions of ${folder.slice(1)} could not be made`)).toHaveLength(2);
});

test("a replaced video keeps its poster from S3, and is not replaced while S3 is down", async () => {
  await using at = await startWithStore();
  const film = await at.upload("film.webm", FILM, await picture(300, 200));
  const poster = await (await at.get(film.replace("film.webm", "poster.webp"))).bytes();
  await at.move();
  at.store.gate(() => "refuse");
  await expect(at.replace("film.webm", new Uint8Array(FILM.subarray(0, 1000)))).rejects.toThrow("503");
  expect((await at.get(film, { method: "HEAD" })).headers.get("content-length")).toBe(String(FILM.length));
  at.store.gate(() => "pass");
  const now = await at.replace("film.webm", new Uint8Array(FILM.subarray(0, 1000)));
  expect(await (await at.get(now.replace("film.webm", "poster.webp"))).bytes()).toEqual(poster);
});

test("a bucket that does not respond delays requests only briefly", async () => {
  await using at = await startWithStore();
  const cat = await at.upload("cat.jpg");
  await at.move();
  at.store.gate(() => "hang");
  expect((await at.get(cat)).status).toBe(503);
  at.store.gate(() => "pass");
  expect((await at.get(cat)).status).toBe(200);
});

test("the log says once why uploads wait, and again after they were sent", async () => {
  await using at = await startWithStore();
  await at.move();
  const [puts, says] = [/^PUT /, "Media cannot be moved to S3: s3://shelf/blog cannot be used: "];
  const refuse = () => at.store.gate((line) => (puts.test(line) ? "refuse" : "pass"));
  refuse();
  await at.upload("cat.jpg");
  await at.server.stop();
  const program = join(import.meta.dir, "stepped-store-loop.ts");
  const env = { ...process.env, ...at.store.env };
  const loop = Bun.spawn([process.execPath, program, at.data], { env, stdin: "pipe", stdout: "pipe" });
  const lines = linesOf(loop.stdout);
  /** Its output, and whether it sent a request to S3. */
  const after = async (milliseconds: number) => {
    at.store.takeRequests();
    loop.stdin.write(`${milliseconds}\n`);
    loop.stdin.flush();
    const { log, state }: Record<"log" | "state", string[]> = JSON.parse(await lines());
    const waits = state.some((line) => line.startsWith("media wait: "));
    return { log, waits, isAsked: at.store.takeRequests().some((line) => puts.test(line)) };
  };
  const expectedLog = [expect.stringContaining(says)];
  expect(await after(0)).toEqual({ log: expectedLog, waits: true, isAsked: true });
  expect(await after(59_999)).toEqual({ log: [], waits: true, isAsked: false });
  expect(await after(1)).toEqual({ log: [], waits: true, isAsked: true });
  at.store.gate(() => "pass");
  expect(await after(60_000)).toEqual({ log: [], waits: false, isAsked: true });
  expect(at.inFolder().size).toBe(0);
  refuse();
  await using again = await startServer({ data: at.data, env: at.store.env });
  await at.upload("owl.jpg", undefined, undefined, again);
  await again.stop();
  expect(await after(0)).toEqual({ log: expectedLog, waits: true, isAsked: true });
  loop.stdin.end();
  expect(await loop.exited).toBe(0);
});

/** @returns a function that returns the next line */

function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const pieces = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return async () => {
    while (!text.includes("\n")) {
      const { value, done } = await pieces.read();
      if (done) throw new Error(`It ended after ${text}`);
      text += decoder.decode(value, { stream: true });
    }
    const [line = ""] = text.split("\n", 1);
    text = text.slice(line.length + 1);
    return line;
  };
}
