import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/database/open";
import { markCleanStop } from "../../src/upkeep/recovery/start-check";
import { builtExecutable } from "../../test/support/executable";
import { type RunningServer, runToEnd, startServer } from "../../test/support/program";
import type { BareContents, BarePost } from "./bare-server";
import { CORPUS, closeCorpus, makeCorpus } from "./corpus";
import type { Server } from "./load";

/** How much is measured. */
export interface Extent {
  /** Posts of the two blogs that are compared. */
  small: number;
  large: number;
  /** Medians are of so many. */
  rounds: number;
  /** How long one load is sent. */
  seconds: number;
  /** The same, as a share of what is counted by number. */
  share: number;
  /** Megapixels of the picture that is uploaded. */
  picture: number;
}

export const FULL: Extent = { small: 1000, large: 100_000, rounds: 3, seconds: 1, share: 1, picture: 12 };
/** To see that all of it runs; the figures say nothing. */
export const QUICK: Extent = { small: 60, large: 120, rounds: 1, seconds: 0.1, share: 0.02, picture: 1 };

/** Platen on a copy of a corpus. */
export interface Stage extends Server, AsyncDisposable {
  /** The data folder. */
  data: string;
  executable: string;
  /** What a request of the blog's owner carries. */
  owner: { authorization: string };
  /** What whoever asks for this carries: the owner's key for the API, nothing for pages. */
  headersFor(path: string): Record<string, string>;
  program: RunningServer;
  /** What the API answers. @throws Error where that is no success */
  // biome-ignore lint/suspicious/noExplicitAny: whatever it is
  ask(path: string, init?: RequestInit): Promise<any>;
}

/** Makes the corpora that are not in the folder yet, and brings the others up to date. */
export async function prepareCorpora(folder: string, sizes: number[], tell: (line: string) => void) {
  mkdirSync(folder, { recursive: true });
  for (const size of sizes) {
    const corpus = corpusIn(folder, size);
    if (existsSync(corpus)) closeCorpus(openDatabase(corpus));
    else await makeCorpus(corpus, size, tell);
  }
}

function corpusIn(folder: string, posts: number): string {
  return join(folder, `${CORPUS}, ${posts} posts`.replaceAll(/[ ,]+/g, "-"));
}

/** Starts the executable on a copy of this corpus, which goes when it is disposed of. */
export async function openStage(corpora: string, posts: number): Promise<Stage> {
  const executable = await builtExecutable();
  const folder = mkdtempSync(join(tmpdir(), "platen-bench-"));
  const data = join(folder, "data");
  await copyCorpus(corpusIn(corpora, posts), data);
  const command = [executable, "key", "add", "--account", "ada@example.com", "--data", data];
  const key = /platen_[\w-]+/.exec((await runToEnd(command)).stdout)?.[0];
  markCleanStop(data);
  const program = await startServer({
    data,
    program: [executable],
    env: { PLATEN_PRIVATE_HOSTS: "127.0.0.1" },
  });
  const owner = { authorization: `Bearer ${key}` };
  return {
    ...program,
    data,
    executable,
    owner,
    headersFor: (path) => (/^\/(api|micropub)/.test(path) ? owner : {}),
    program,
    async ask(path, init = {}) {
      const answer = await fetch(`${program.url}/api/v1${path}`, {
        ...init,
        headers: { ...owner, ...init.headers },
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${text}`);
      return JSON.parse(text);
    },
    async [Symbol.asyncDispose]() {
      await program.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Files that are never changed are linked, not copied: a corpus has up to a hundred thousand of them. */
async function copyCorpus(corpus: string, data: string): Promise<void> {
  mkdirSync(data, { mode: 0o700 });
  const linking = Bun.spawn(["cp", "-al", join(corpus, "media"), join(data, "media")]);
  copyFileSync(join(corpus, "platen.db"), join(data, "platen.db"));
  if ((await linking.exited) !== 0) throw new Error(`${corpus}/media cannot be linked into ${data}`);
}

/** The bare limits, with the stage's own answers and rows. */
export async function openBare(stage: Stage, ready: string[]): Promise<Server & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "platen-bench-"));
  const contents: BareContents = {
    database: join(folder, "bare.db"),
    ready: Object.fromEntries(
      await Promise.all(ready.map(async (path) => [path, await answerAt(stage, path)])),
    ),
    posts: await allPosts(stage),
  };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "bare-server.ts")], {
    stdin: new Blob([JSON.stringify(contents)]),
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  return {
    url: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/** What `Bun.serve` says of every answer by itself. */
const BY_ITSELF = ["date", "content-length", "connection"];

async function answerAt({ url }: Stage, path: string) {
  const answer = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
  const headers = [...answer.headers].filter(([name]) => !BY_ITSELF.includes(name));
  return { headers: Object.fromEntries(headers), body: await answer.text() };
}

async function allPosts(stage: Stage): Promise<BarePost[]> {
  const posts: BarePost[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page = await stage.ask(`/posts?limit=100&include_content=true${from}`);
    posts.push(...page.posts);
    cursor = page.pagination.next;
  }
  return posts;
}
