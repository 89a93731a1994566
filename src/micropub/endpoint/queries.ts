import { callerOf } from "../../access/authentication";
import { requireScope } from "../../access/scope-checks";
import type { ScopeRuleOf } from "../../access/scope-table";
import { reachableBlogs } from "../../access/target-blog";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { malformed } from "../../errors";
import { responseCache } from "../../http/cache/response-cache";
import type { Call } from "../../http/requests/call";
import { CACHE_CONTROL } from "../../http/responses/cache-control";
import {
  type HttpResponse,
  jsonResponse,
  revalidatedByClient,
  type TextResponse,
} from "../../http/responses/response";
import type { Platen } from "../../platen";
import { postAtUrl } from "../../posts/reading/finding-posts";
import {
  type TimelineCursor,
  type TimelineQuery,
  timelineCursor,
  timelinePosts,
} from "../../posts/reading/timeline";
import { wholePost } from "../../posts/storage/stored-posts";
import { tagNamesOf } from "../../posts/topics/post-topics";
import { topicNameKey, topicsByName } from "../../posts/topics/topics";
import { namedBlog, targetBlogOf } from "../requests/destination";
import { listsIn } from "../requests/parsed-request";
import { CHANNELS } from "../translation/mf2-to-post";
import { type Mf2, mf2Of } from "../translation/post-to-mf2";
import { POST_TYPES } from "./post-types";
import { pageIn } from "./query-paging";

/** One GET of the endpoint. */
interface Query {
  platen: Platen;
  call: Call;
  caller: Caller;
  params: URLSearchParams;
}

type Name = ScopeRuleOf<"GET /micropub?q=">;

const QUERIES: Record<Name, (query: Query) => unknown | Promise<unknown>> = {
  config,
  source,
  category: (query) => ({ categories: categories(query) }),
  "syndicate-to": () => ({ "syndicate-to": [] }),
  channel: () => ({ channels: CHANNELS }),
  contact: () => ({ contacts: [] }),
  "post-types": () => ({ "post-types": POST_TYPES }),
};

/** The answer to a GET of the endpoint; without `q` the configuration, which some apps ask for to try their key. */
export async function answerQuery(call: Call): Promise<HttpResponse> {
  const caller = callerOf(call);
  const params = call.url.searchParams;
  const name = params.get("q") ?? "config";
  if (!isQuery(name))
    throw malformed(`There is no query of that name; there are ${Object.keys(QUERIES).join(", ")}.`);
  requireScope(caller, `GET /micropub?q=${name}`);
  const { platen, url } = call;
  const make = async () => queryAnswer(await QUERIES[name]({ platen, call, caller, params }));
  if (name !== "source" || params.has("url")) return make();
  // The same for all who may read it: only the blog that is meant depends on the caller, and is looked up each time.
  const key = `micropub ${targetBlogOf(call, caller).id} ${url.search}`;
  return responseCache(platen).getOrMake(key, async () => revalidatedByClient(await make()));
}

export function queryAnswer(body: unknown): TextResponse {
  return jsonResponse(200, body, { "cache-control": CACHE_CONTROL.noStore });
}

function isQuery(name: string): name is Name {
  return Object.hasOwn(QUERIES, name);
}

function config({ platen, call, caller }: Query) {
  namedBlog(call, caller);
  const uidAndName = (blog: Blog) => ({ uid: blogUrl(platen, blog), name: blog.title });
  return {
    "media-endpoint": `${platen.config.url}/micropub/media`,
    destination: reachableBlogs(platen, caller).map(uidAndName),
    "syndicate-to": [],
    channels: CHANNELS,
    "post-types": POST_TYPES,
    visibility: ["public", "unlisted"],
    q: Object.keys(QUERIES),
  };
}

/** One post by its address, or the newest ones, drafts among them. */
async function source({ platen, call, caller, params }: Query) {
  const wanted = (listsIn([...params]).properties ?? []).map(String);
  const url = params.get("url");
  if (url !== null) {
    const blog = namedBlog(call, caller);
    const post = postAtUrl(platen, caller, url, blog?.id);
    return withProperties(wanted, mf2Of(platen, wholePost(platen, post)));
  }
  const asked = timelineOf(params);
  const { posts, hasMore } = await timelinePosts(platen, targetBlogOf(call, caller), asked);
  const whole = posts.map((post) => wholePost(platen, post));
  const [first, last] = [posts.at(0), posts.at(-1)];
  return {
    items: whole.map((post) => withProperties(wanted, mf2Of(platen, post))),
    paging: {
      after: last && (hasMore || asked.before) ? cursorText(timelineCursor(last)) : undefined,
      before: first && cursorText(timelineCursor(first)),
    },
  };
}

/** Without names, all; else these properties alone and no type (W3C Micropub 3.7.2). */
function withProperties(wanted: string[], mf2: Mf2): Mf2 | Pick<Mf2, "properties"> {
  if (wanted.length === 0) return mf2;
  const named = Object.entries(mf2.properties).filter(([name]) => wanted.includes(name));
  return { properties: Object.fromEntries(named) };
}

function timelineOf(params: URLSearchParams): TimelineQuery {
  const channel = params.get("mp-channel") ?? params.get("channel");
  const status = params.get("post-status");
  return {
    ...pageIn(params),
    after: cursorIn(params.get("after")),
    before: cursorIn(params.get("before")),
    filter: params.get("filter") ?? params.get("search") ?? undefined,
    type: channel ? (channel === "pages" ? "page" : "post") : undefined,
    status: status === "published" || status === "draft" || status === "archived" ? status : undefined,
    kind: params.get("post-type") || undefined,
  };
}

const cursorText = ({ key, id }: TimelineCursor) => `${key}-${id}`;

function cursorIn(text: string | null): TimelineCursor | undefined {
  if (text === null) return undefined;
  const match = /^(-?\d{1,15})-(\d{1,15})$/.exec(text);
  if (!match) throw malformed("after and before take what paging told.");
  return { key: Number(match[1]), id: Number(match[2]) };
}

/** The blog's categories, then its tags: Micropub does not tell them apart. */
function categories({ platen, call, caller, params }: Query): string[] {
  const blog = targetBlogOf(call, caller);
  const names = [
    ...topicsByName(platen, "category", blog.id).map(({ name }) => name),
    ...tagNamesOf(platen, blog.id),
  ];
  const part = topicNameKey(params.get("filter") ?? params.get("search") ?? "");
  const fitting = [...Map.groupBy(names, topicNameKey)].flatMap(([key, [name = ""]]) =>
    key.includes(part) ? [name] : [],
  );
  const { limit, offset } = pageIn(params, fitting.length);
  return fitting.slice(offset, offset + limit);
}
