import { median } from "../statistics";
import { wordOf } from "./corpus-text";
import { type LoadFigures, runLoad, type Server } from "./load";
import type { LoadRequest } from "./load-sender";
import { type Extent, openBare, openStage, QUICK, type Stage } from "./stage";

export const CONNECTIONS = [16, 64];

interface Subject {
  name: string;
  path: string;
  bare: string;
}

export interface Compared {
  name: string;
  platen: LoadFigures;
  bare: LoadFigures;
}

export type ReadingFigures = (Compared & { connections: number })[];

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
  await assertSameRows(stage, bare, subjects);
  const rounds: ReadingFigures[] = [];
  tell("reading, warming up");
  if (extent !== QUICK) await measureOnce(stage, bare, subjects, QUICK);
  for (let round = 1; round <= extent.rounds; round++) {
    tell(`reading, round ${round} of ${extent.rounds}`);
    rounds.push(await measureOnce(stage, bare, subjects, extent));
  }
  return mediansOf(rounds);
}

/** Number of subjects that are pages or feeds. They come first. */
const PAGES = 4;

async function subjectsOn(stage: Stage): Promise<Subject[]> {
  const [post] = (await stage.ask("/posts?limit=1&type=posts")).posts as [{ id: number; slug: string }];
  const page = (name: string, path: string): Subject => ({ name, path, bare: path });
  return [
    page("post page", `/${post.slug}`),
    page("home page", "/"),
    page("RSS feed", "/feed.xml"),
    page("JSON Feed", "/feed.json"),
    {
      name: "API list of 20 with content",
      path: "/api/v1/posts?limit=20&include_content=true",
      bare: "/list/0",
    },
    { name: "API list of 20 without content", path: "/api/v1/posts?limit=20", bare: "/heads/0" },
    { name: "API read of one", path: `/api/v1/posts/${post.id}`, bare: `/post/${post.id}` },
    {
      name: "API search",
      path: `/api/v1/posts?search=${wordOf(1000)}`,
      bare: `/search/${wordOf(1000)}`,
    },
  ];
}

async function assertSameRows(stage: Stage, bare: Server, subjects: Subject[]): Promise<void> {
  for (const { name, path, bare: counterpart } of subjects.slice(PAGES)) {
    const idsIn = async (url: string) => {
      const { posts, post } = await (await fetch(url, { headers: stage.owner })).json();
      return JSON.stringify((posts ?? [post]).map(({ id }: { id: number }) => id));
    };
    const [ours, theirs] = [await idsIn(stage.url + path), await idsIn(bare.url + counterpart)];
    if (ours !== theirs) throw new Error(`${name}: ${ours}, and bare ${theirs}`);
  }
}

async function measureOnce(
  stage: Stage,
  bare: Server,
  subjects: Subject[],
  extent: Extent,
): Promise<ReadingFigures> {
  const figures: ReadingFigures = [];
  for (const { name, path, bare: counterpart } of subjects)
    for (const connections of CONNECTIONS) {
      const how = { connections, seconds: extent.seconds };
      const headers = stage.headersFor(path);
      figures.push({
        name,
        connections,
        platen: await runLoad(stage, { path, headers }, how),
        bare: await runLoad(bare, { path: counterpart, headers }, how),
      });
    }
  return figures;
}

/** Two changes of a post that is not measured. Sent alternately, each changes the title. */
export async function changesOf(stage: Stage): Promise<[LoadRequest, LoadRequest]> {
  const { posts } = await stage.ask("/posts?limit=1&sort=created_at&type=posts");
  const change = (title: string): LoadRequest => ({
    method: "PATCH",
    path: `/api/v1/posts/${posts[0].id}`,
    headers: { ...stage.owner, "content-type": "application/json" },
    body: JSON.stringify({ post: { title } }),
  });
  return [change("Changed"), change("Changed again")];
}

export function mediansOf<Of extends Compared>(rounds: Of[][]): Of[] {
  const medians = (all: LoadFigures[]): LoadFigures => ({
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
