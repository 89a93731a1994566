import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { browserAt } from "../../support/cookie-browser";
import { openWithoutPlaten } from "../../support/other-program";
import { picture, uploadForm } from "../../support/pictures";
import { freshFolder, PROGRAM, type RunningServer, runPlaten, startServer } from "../../support/program";
import { s3Server } from "../../support/s3-server";
import { until } from "../../support/waiting";

/** The smallest header that is detected as WebM. */
const VIDEO_HEAD = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex");
/** Large enough for a multipart upload. */
export const FILM = Buffer.concat([VIDEO_HEAD, Buffer.alloc(12_000_000, 7), Buffer.from("the end")]);

const EMAIL = "ada@example.com";

type Store = Awaited<ReturnType<typeof s3Server>>;

/** A server with a new folder and an S3 bucket. */
export async function startWithStore(env: Record<string, string> = {}, data = freshFolder()) {
  const store = await s3Server();
  const set = ["setup", "--email", EMAIL, "--title", "Ada", "--slug", "ada", "--data", data];
  const made = await runPlaten(set);
  if (made.code !== 0) throw new Error(made.stderr);
  const key = made.stdout.trim();
  const server = await startServer({ data, env: { ...store.env, ...env } });
  const run = (...words: string[]) => runPlaten([...words, "--data", data], { env: store.env });
  return {
    store,
    data,
    server,
    key,
    run,
    move: (to = store.place) => run("media", "move", "--to", to),
    /** @param to another server of the same folder */
    upload: (name: string, bytes?: Uint8Array<ArrayBuffer>, poster?: Uint8Array<ArrayBuffer>, to = server) =>
      upload(to, key, name, bytes, poster),
    get: (path: string, init?: RequestInit) => fetch(server.url + path, init),
    /** @param path of an upload */
    async delete(path: string) {
      const gone = await fetch(`${server.url}/micropub/media`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: new URLSearchParams({ action: "delete", url: server.url + path }),
      });
      expect(gone.status).toBeLessThan(300);
    },
    /** Replaces a file in the media library. @returns the path of the new one */
    async replace(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
      const password = "a long enough one";
      const typed = ["account", "password", "--email", EMAIL, "--password-stdin", "--data", data];
      await runPlaten(typed, { stdin: `${password}\n` });
      const { url } = server;
      const browser = browserAt(url, (path, init) => fetch(url + path, { ...init, redirect: "manual" }));
      await browser.post("/auth/sign-in", { email: EMAIL, password });
      const body = new FormData();
      body.append("file", new File([bytes], name));
      const replaced = await browser.send("/admin/blogs/ada/media/1/replace", {
        method: "POST",
        headers: { origin: url },
        body,
      });
      expect(replaced.status).toBe(303);
      const headers = { authorization: `Bearer ${key}` };
      const { attachments } = await (await fetch(`${url}/api/v1/attachments`, { headers })).json();
      return new URL(attachments[0].url).pathname;
    },
    inFolder: () => currentFiles(data),
    /** Resolves when this is true for folder and bucket. */
    until: (holds: () => boolean) =>
      until(
        holds,
        holds.toString(),
        () =>
          `${[...currentFiles(data).keys()]} in the folder, ${store.keys()} at the store; ${server.stderr()}`,
      ),
    /** Kills the move when it sends a request that matches. */
    async killMoveAt(to: string, at: RegExp) {
      const reached = Promise.withResolvers<void>();
      store.gate((line) => {
        if (!at.test(line)) return "pass";
        reached.resolve();
        return "hang";
      });
      const command = [...PROGRAM, "media", "move", "--to", to, "--data", data];
      const child = Bun.spawn(command, { env: { ...process.env, ...store.env }, stderr: "inherit" });
      // The move ends by itself if there is no such request.
      await Promise.race([reached.promise, child.exited]);
      child.kill("SIGKILL");
      await child.exited;
      store.gate(() => "pass");
    },
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** @returns its path, "/media/…" */
async function upload(
  { url }: RunningServer,
  key: string,
  name: string,
  bytes?: Uint8Array<ArrayBuffer>,
  poster?: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const form = uploadForm(bytes ?? (await picture(1000 + name.length, 400)), name);
  if (poster) form.append("attachment[poster]", new File([poster], "poster.jpg"));
  const answer = await fetch(`${url}/api/v1/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const { attachment } = await answer.json();
  expect(answer.status).toBe(201);
  return new URL(attachment.url).pathname;
}

/** Files below media/ without renditions: path → content. */
export function filesIn(data: string): Map<string, string> {
  const names = readdirSync(join(data, "media"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\/(sizes|\.incoming)(\/|$)/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return new Map(names.flatMap((name) => hashFile(name.slice(data.length + 1), () => readFileSync(name))));
}

/** Files below media/ that are not deleted; copies of the folder may still need others. */
function currentFiles(data: string): Map<string, string> {
  using db = openWithoutPlaten(data);
  const waiting = db.query<{ folder: string }, []>("SELECT folder FROM deleted_media").all();
  const isWaiting = (path: string) => waiting.some(({ folder }) => path.startsWith(`media/${folder}/`));
  return new Map([...filesIn(data)].filter(([path]) => !isWaiting(path)));
}

/** @returns name and hash; nothing if the file was deleted meanwhile */
function hashFile(name: string, read: () => Uint8Array): [string, string][] {
  try {
    return [[name, Bun.hash(read()).toString()]];
  } catch (fault) {
    if ((fault as { code?: string }).code === "ENOENT") return [];
    throw fault;
  }
}

export const filesInBucket = (store: Store) =>
  new Map(
    store
      .keys()
      .filter((key) => key.startsWith("blog/media/"))
      .map((key) => [key.slice("blog/".length), Bun.hash(store.read(key)).toString()] as const),
  );
