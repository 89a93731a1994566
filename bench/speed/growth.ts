import { median } from "../statistics";
import { wordOf } from "./corpus-text";
import type { LoadRequest } from "./load-sender";
import { changesOf } from "./reading";
import { type Extent, openStage, type Stage } from "./stage";
import { creations } from "./writing";

/** In milliseconds, on the small and the large blog. */
export interface BothSizes {
  name: string;
  small: number;
  large: number;
}

export interface GrowthFigures {
  /** First request after a write. */
  first: BothSizes[];
  publish: BothSizes;
}

const FIRST_TIMES = 15;
const PUBLISHED = 41;

export async function measureGrowth(
  corpora: string,
  extent: Extent,
  tell: (line: string) => void,
): Promise<GrowthFigures> {
  await using small = await openStage(corpora, extent.small);
  await using large = await openStage(corpora, extent.large);
  const stages = { small, large };
  const paths = { small: await pathsOn(small), large: await pathsOn(large) };
  const changes = { small: await changesOf(small), large: await changesOf(large) };
  const first: BothSizes[] = [];
  const times = Math.ceil(FIRST_TIMES * extent.share);
  for (const name of Object.keys(paths.small)) {
    tell(`growth: ${name}`);
    const took = { small: [] as number[], large: [] as number[] };
    for (let time = 0; time < times; time++)
      for (const size of ["small", "large"] as const) {
        const all = [paths[size][name] as string | string[]].flat();
        const path = all[time % all.length] as string;
        const request = { method: "GET", path, headers: stages[size].headersFor(path) };
        await timeRequest(stages[size], changes[size][time % 2] as LoadRequest);
        took[size].push(await timeRequest(stages[size], request));
      }
    first.push({ name, small: median(took.small), large: median(took.large) });
  }
  tell("growth: publishing");
  const published = { small: [] as number[], large: [] as number[] };
  for (let time = 0; time < Math.ceil(PUBLISHED * extent.share); time++)
    for (const size of ["small", "large"] as const)
      for (const asked of creations(stages[size], "/api/v1/posts", 1))
        published[size].push(await timeRequest(stages[size], asked));
  return {
    first,
    publish: { name: "publishing", small: median(published.small), large: median(published.large) },
  };
}

async function timeRequest({ url }: Stage, { method, path, headers, body }: LoadRequest): Promise<number> {
  const began = performance.now();
  const answer = await fetch(url + path, { method, headers, body });
  await answer.arrayBuffer();
  const took = performance.now() - began;
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  return took;
}

/** Name → path, or one path per repetition. */
async function pathsOn(stage: Stage): Promise<Record<string, string | string[]>> {
  const { posts, pagination } = await stage.ask("/posts?limit=20&type=posts");
  const [post] = posts;
  const tag = posts.flatMap(({ tags }: { tags: string[] }) => tags)[0].replaceAll(" ", "-");
  const categories = (await stage.ask("/categories")).categories;
  const category = categories[0];
  const deep = Math.ceil(pagination.pages * 0.9);
  // There are sixty tags, and a post has 1.5 on average.
  const deepOfTag = Math.max(1, Math.floor(deep / 40));
  const lastPage = async (query: string) =>
    `/api/v1/posts?${query}&page=${(await stage.ask(`/posts?${query}`)).pagination.pages || 1}`;
  const lists = {
    "": "",
    ", with content": "include_content=true",
    ", status=all": "status=all",
    ", one category": `category_id=${category.id}`,
    ", to_date": "to_date=2020-06-01",
    ", sort=title": "sort=title",
  };
  const api: Record<string, string> = {};
  for (const [name, query] of Object.entries(lists)) {
    api[`API list${name}`] = `/api/v1/posts?limit=20&${query}`;
    api[`API list${name}, last page`] = await lastPage(`limit=20&${query}`);
  }
  return {
    "post page": `/${post.slug}`,
    "home page": "/",
    "home page, deep": `/?page=${deep}`,
    "RSS feed": "/feed.xml",
    "JSON Feed": "/feed.json",
    archive: "/archive",
    "category page": `/category/${category.slug}`,
    "tag page": `/tag/${tag}`,
    "tag page, deep": `/tag/${tag}?page=${deepOfTag}`,
    "search page": `/search?q=${wordOf(1000)}`,
    "search page, a new word": wordsFrom(1101).map((word) => `/search?q=${word}`),
    sitemap: "/sitemap.xml",
    ...api,
    "API read of one": `/api/v1/posts/${post.id}`,
    "API categories": "/api/v1/categories",
    "API attachments": "/api/v1/attachments",
    "API search": `/api/v1/posts?search=${wordOf(1000)}`,
    "API search, a new word": wordsFrom(1001).map((word) => `/api/v1/posts?search=${word}`),
    "API search of a rare word": `/api/v1/posts?search=${wordOf(5990)}`,
    "API search of a new rare word": wordsFrom(5001).map((word) => `/api/v1/posts?search=${word}`),
    "Micropub q=source": "/micropub?q=source",
    "Micropub q=source of a kind": "/micropub?q=source&post-type=like",
    "Micropub q=category": "/micropub?q=category",
  };
}

const wordsFrom = (rank: number) => Array.from({ length: FIRST_TIMES }, (_, time) => wordOf(rank + time));
