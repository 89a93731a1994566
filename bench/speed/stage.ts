import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/database/open";
import { markCleanStop } from "../../src/upkeep/recovery/damaged-database";
import { builtExecutable } from "../../test/support/executable";
import { type RunningServer, runToEnd, startServer } from "../../test/support/program";
import type { BareContents, BarePost } from "./bare-server";
import { CORPUS, closeCorpus, makeCorpus } from "./corpus";
import type { Server } from "./load";

export interface Extent {
  small: number;
  large: number;
  rounds: number;
  seconds: number;
  share: number;
}

export const FULL: Extent = { small: 1000, large: 100_000, rounds: 3, seconds: 1, share: 1 };
/** Only checks that the benchmark runs; the figures are meaningless. */
export const QUICK: Extent = { small: 60, large: 120, rounds: 1, seconds: 0.1, share: 0.02 };

export interface Stage extends Server, AsyncDisposable {
  data: string;
  executable: string;
  owner: { authorization: string };
  headersFor(path: string): Record<string, string>;
  program: RunningServer;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  ask(path: string, init?: RequestInit): Promise<any>;
}

/** Creates missing corpora, and migrates existing ones. */
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

/** Links media instead of copying them, because a corpus has up to 100,000 files. */
async function copyCorpus(corpus: string, data: string): Promise<void> {
  mkdirSync(data, { mode: 0o700 });
  const linking = Bun.spawn(["cp", "-al", join(corpus, "media"), join(data, "media")]);
  copyFileSync(join(corpus, "platen.db"), join(data, "platen.db"));
  if ((await linking.exited) !== 0) throw new Error(`${corpus}/media cannot be linked into ${data}`);
}

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
