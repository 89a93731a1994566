import { median } from "../statistics";
import { wordOf } from "./corpus-text";
import { type Loaded, press, type Server, send } from "./load";
import type { Asked } from "./load-sender";
import { type Extent, openBare, openStage, QUICK, type Stage } from "./stage";

export const CONNECTIONS = [1, 16, 64];

/** A measured request: repeated, and the first of its kind after a write. */
interface Subject {
  name: string;
  path: string;
  others: string[];
  /** The same requests on the minimal server. */
  bare: { path: string; others: string[] };
}

export interface Compared {
  name: string;
  platen: Loaded;
  bare: Loaded;
}

/** Figures by number of connections, and first requests after a write. */
export interface ReadingFigures {
  again: (Compared & { connections: number })[];
  first: Compared[];
}

/** Maximum requests of a kind after each write, and number of writes. */
const AFTER_A_WRITE = 19;
const WRITES = 50;

export async function measureReading(
  corpora: string,
  extent: Extent,
  tell: (line: string) => void,
): Promise<ReadingFigures> {
  await using stage = await openStage(corpora, extent.small);
  const subjects = await subjectsOn(stage);
  await using bare = await openBare(
    stage,
    subjects.slice(0, PAGES).map(({ path }) => path),
  );
  await demandSameRows(stage, bare, subjects);
  const rounds: ReadingFigures[] = [];
  tell("reading, warming up");
  await measureOnce(stage, bare, subjects, QUICK);
  for (let round = 1; round <= extent.rounds; round++) {
    tell(`reading, round ${round} of ${extent.rounds}`);
    rounds.push(await measureOnce(stage, bare, subjects, extent));
  }
  return {
    again: mediansOf(rounds.map(({ again }) => again)),
    first: mediansOf(rounds.map(({ first }) => first)),
  };
}

/** The first subjects are pages and feeds; this is their number. */
const PAGES = 4;

async function subjectsOn(stage: Stage): Promise<Subject[]> {
  const { posts, pagination } = await stage.ask("/posts?limit=20&type=posts");
  const newest: { id: number; slug: string }[] = posts;
  const { categories } = (await stage.ask("/categories")) as { categories: { slug: string }[] };
  const [post] = newest as [{ id: number; slug: string }];
  const others = newest.slice(1);
  const numbers = others
    .keys()
    .filter((number) => number + 1 < pagination.pages)
    .toArray();
  const feeds = (name: string) =>
    categories.slice(0, AFTER_A_WRITE).map(({ slug }) => `/category/${slug}/${name}`);
  const page = (name: string, path: string, others: string[]): Subject => {
    return { name, path, others, bare: { path, others: [path] } };
  };
  const list = (name: string, query: string, bare: string): Subject => ({
    name,
    path: `/api/v1/posts?${query}`,
    others: numbers.map((number) => `/api/v1/posts?${query}&page=${number + 1}`),
    bare: { path: `/${bare}/0`, others: numbers.map((number) => `/${bare}/${number * 20}`) },
  });
  const word = (number: number) => wordOf(1000 + 7 * number);
  return [
    page(
      "post page",
      `/${post.slug}`,
      others.map(({ slug }) => `/${slug}`),
    ),
    page(
      "home page",
      "/",
      numbers.map((number) => `/?page=${number + 2}`),
    ),
    page("RSS feed", "/feed.xml", feeds("feed.xml")),
    page("JSON Feed", "/feed.json", feeds("feed.json")),
    list("API list of 20 with content", "limit=20&include_content=true", "list"),
    list("API list of 20 without content", "limit=20", "heads"),
    {
      name: "API read of one",
      path: `/api/v1/posts/${post.id}`,
      others: others.map(({ id }) => `/api/v1/posts/${id}`),
      bare: { path: `/post/${post.id}`, others: others.map(({ id }) => `/post/${id}`) },
    },
    {
      name: "API search",
      path: `/api/v1/posts?search=${word(0)}`,
      others: numbers.map((number) => `/api/v1/posts?search=${word(number)}`),
      bare: { path: `/search/${word(0)}`, others: numbers.map((number) => `/search/${word(number)}`) },
    },
  ];
}

/** @throws Error if both servers respond differently */
async function demandSameRows(stage: Stage, bare: Server, subjects: Subject[]): Promise<void> {
  for (const { name, path, bare: counterpart } of subjects.slice(PAGES)) {
    const idsIn = async (url: string) => {
      const { posts, post } = await (await fetch(url, { headers: stage.owner })).json();
      return JSON.stringify((posts ?? [post]).map(({ id }: { id: number }) => id));
    };
    const [ours, theirs] = [await idsIn(stage.url + path), await idsIn(bare.url + counterpart.path)];
    if (ours !== theirs) throw new Error(`${name}: ${ours}, and bare ${theirs}`);
  }
}

async function measureOnce(
  stage: Stage,
  bare: Server,
  subjects: Subject[],
  extent: Extent,
): Promise<ReadingFigures> {
  const figures: ReadingFigures = { again: [], first: [] };
  for (const { name, path, bare: counterpart } of subjects)
    for (const connections of CONNECTIONS) {
      const how = { connections, seconds: extent.seconds };
      const headers = stage.headersFor(path);
      figures.again.push({
        name,
        connections,
        platen: await press(stage, { path, headers }, how),
        bare: await press(bare, { path: counterpart.path, headers }, how),
      });
    }
  const writes = Math.ceil(WRITES * extent.share);
  const read = (paths: string[], [alike = ""]: string[]) =>
    paths.map((path): Asked => ({ method: "GET", path, headers: stage.headersFor(alike) }));
  for (const { name, others, bare: counterpart } of subjects)
    figures.first.push({
      name,
      platen: await firstTime(stage, await changesOf(stage), read(others, others), writes),
      bare: await firstTime(bare, await changesOf(stage, "/post"), read(counterpart.others, others), writes),
    });
  return figures;
}

/** Cost of reads after a write, including work the write has deferred but not the write itself. */
async function firstTime(
  server: Server,
  [one, other]: [Asked, Asked],
  reads: Asked[],
  writes: number,
): Promise<Loaded> {
  const wave = [one, ...reads, other, ...reads].map((asked) => ({
    ...asked,
    isBeside: asked.method !== "GET",
  }));
  return await send(server, { requests: wave, connections: 1, count: writes * (1 + reads.length) });
}

/** Two changes of a post that undo each other, of a post that is not requested. @param at URL path of posts */
export async function changesOf(stage: Stage, at = "/api/v1/posts"): Promise<[Asked, Asked]> {
  const { posts } = await stage.ask("/posts?limit=1&sort=created_at&type=posts");
  const change = (title: string): Asked => ({
    method: "PATCH",
    path: `${at}/${posts[0].id}`,
    headers: { ...stage.owner, "content-type": "application/json" },
    body: JSON.stringify({ post: { title } }),
  });
  return [change("Changed"), change("Changed again")];
}

/** Median of each figure. */
export function mediansOf<Of extends Compared>(rounds: Of[][]): Of[] {
  const medians = (all: Loaded[]): Loaded => ({
    rate: median(all.map(({ rate }) => rate)),
    median: median(all.map((loaded) => loaded.median)),
    p99: median(all.map(({ p99 }) => p99)),
    processor: median(all.map(({ processor }) => processor)),
    serverBusy: median(all.map(({ serverBusy }) => serverBusy)),
    senderBusy: median(all.map(({ senderBusy }) => senderBusy)),
  });
  return (rounds[0] as Of[]).map((compared, at) => ({
    ...compared,
    platen: medians(rounds.map((round) => (round[at] as Of).platen)),
    bare: medians(rounds.map((round) => (round[at] as Of).bare)),
  }));
}
