import { callerOf } from "../access/authentication";
import { reachableBlogs, requireScope, type ScopeRuleOf } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { type Blog, blogUrl } from "../blogs/blogs";
import { malformed } from "../errors";
import type { Call } from "../http/requests/call";
import { responseCache } from "../http/response-cache";
import type { HttpResponse, TextResponse } from "../http/responses/response";
import { CACHE_CONTROL, jsonResponse, revalidatedByClient } from "../http/responses/response";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import type { TimelineCursor, TimelineQuery } from "../posts/reading/filtered-posts";
import { timelineCursor, timelinePosts } from "../posts/reading/filtered-posts";
import { postAtUrl } from "../posts/reading/finding-posts";
import { tagNamesOf, topicNameKey, topicsByName } from "../posts/storage/categories-and-tags";
import { STATUSES } from "../posts/storage/post-list-queries";
import { wholePost } from "../posts/storage/stored-posts";
import { copiesByDefault, copyAccount, SERVICE_LABELS, SERVICE_NAMES } from "../syndication/stored-copies";
import { CHANNELS, type Mf2, postToMf2 } from "./mf2-translation";
import { propertyLists } from "./parsing-actions";
import { namedBlog, targetBlogOf } from "./reading-requests";

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
  category: (query) => ({ categories: categoryNames(query) }),
  "syndicate-to": ({ platen, call, caller }) => ({
    "syndicate-to": syndicationTargets(platen, targetBlogOf(call, caller)),
  }),
  channel: () => ({ channels: CHANNELS }),
  contact: () => ({ contacts: [] }),
  "post-types": () => ({ "post-types": POST_TYPES }),
};

/** Some apps test their key without `q`, which then means `config`. */
export async function answerQuery(call: Call): Promise<HttpResponse> {
  const caller = callerOf(call);
  const params = call.url.searchParams;
  const name = params.get("q") ?? "config";
  if (!isQueryName(name)) throw malformed(`q must be one of ${Object.keys(QUERIES).join(", ")}.`);
  requireScope(caller, `GET /micropub?q=${name}`);
  const { platen, url } = call;
  const make = async () => queryAnswer(await QUERIES[name]({ platen, call, caller, params }));
  if (name !== "source" || params.has("url")) return make();
  // The cache key contains the target blog. Nothing else in the response depends on the caller.
  const key = `micropub ${targetBlogOf(call, caller).id} ${url.search}`;
  return responseCache(platen).getOrMake(key, async () => revalidatedByClient(await make()));
}

export function queryAnswer(body: unknown): TextResponse {
  return jsonResponse(200, body, { "cache-control": CACHE_CONTROL.noStore });
}

function isQueryName(name: string): name is Name {
  return Object.hasOwn(QUERIES, name);
}

function config({ platen, call, caller }: Query) {
  const blogs = reachableBlogs(platen, caller);
  const blog = namedBlog(call, caller) ?? blogs[0];
  return {
    "media-endpoint": `${platen.config.url}/micropub/media`,
    destination: blogs.map((each) => ({ uid: blogUrl(platen, each), name: each.title })),
    "syndicate-to": blog ? syndicationTargets(platen, blog) : [],
    channels: CHANNELS,
    "post-types": POST_TYPES,
    visibility: ["public", "unlisted"],
    q: Object.keys(QUERIES),
  };
}

function syndicationTargets(platen: Platen, blog: Blog) {
  return SERVICE_NAMES.flatMap((uid) => {
    const account = copyAccount(platen, blog, uid);
    const name = `${SERVICE_LABELS[uid]} (${account?.handle})`;
    return account ? [{ uid, name, checked: copiesByDefault(blog, uid) === true }] : [];
  });
}

async function source({ platen, call, caller, params }: Query) {
  const names = (propertyLists([...params]).properties ?? []).map(String);
  const present = (post: Post) => withProperties(names, postToMf2(platen, wholePost(platen, post)));
  const url = params.get("url");
  if (url !== null) return present(postAtUrl(platen, caller, url, namedBlog(call, caller)?.id));
  const timeline = timelineOf(params);
  const { posts, hasMore } = await timelinePosts(platen, targetBlogOf(call, caller), timeline);
  const [first, last] = [posts.at(0), posts.at(-1)];
  return {
    items: posts.map(present),
    paging: {
      after: last && (hasMore || timeline.before) ? formatCursor(timelineCursor(last)) : undefined,
      before: first && formatCursor(timelineCursor(first)),
    },
  };
}

/** Named properties are returned alone, without the type (W3C Micropub 3.7.2). */
function withProperties(names: string[], mf2: Mf2): Mf2 | Pick<Mf2, "properties"> {
  if (names.length === 0) return mf2;
  const named = Object.entries(mf2.properties).filter(([name]) => names.includes(name));
  return { properties: Object.fromEntries(named) };
}

function timelineOf(params: URLSearchParams): TimelineQuery {
  const channel = params.get("mp-channel") ?? params.get("channel");
  return {
    ...parsePaging(params),
    after: parseCursor(params.get("after")),
    before: parseCursor(params.get("before")),
    filter: params.get("filter") ?? params.get("search") ?? undefined,
    type: channel ? (channel === "pages" ? "page" : "post") : undefined,
    status: parseListedStatus(params.get("post-status")),
    kind: params.get("post-type") || undefined,
  };
}

function parseListedStatus(text: string | null) {
  if (!text) return undefined;
  const status = STATUSES.find((known) => known === text);
  if (!status) throw malformed("post-status must be published, draft or archived.");
  return status;
}

const formatCursor = ({ key, id }: TimelineCursor) => `${key}-${id}`;

function parseCursor(text: string | null): TimelineCursor | undefined {
  if (text === null) return undefined;
  const match = /^(-?\d{1,15})-(\d{1,15})$/.exec(text);
  if (!match) throw malformed("after and before must be a cursor from a previous response.");
  return { key: Number(match[1]), id: Number(match[2]) };
}

/** Micropub does not distinguish categories and tags. */
function categoryNames({ platen, call, caller, params }: Query): string[] {
  const blog = targetBlogOf(call, caller);
  const names = [
    ...topicsByName(platen, "category", blog.id).map(({ name }) => name),
    ...tagNamesOf(platen, blog.id),
  ];
  const part = topicNameKey(params.get("filter") ?? params.get("search") ?? "");
  const fitting = [...Map.groupBy(names, topicNameKey)].flatMap(([key, [name = ""]]) =>
    key.includes(part) ? [name] : [],
  );
  const { limit, offset } = parsePaging(params, fitting.length);
  return fitting.slice(offset, offset + limit);
}

const COMMON_PROPERTIES = ["category", "published", "post-status", "visibility", "mp-slug"];

const POST_TYPES = [
  postType("note", "Note", ["content"]),
  postType("article", "Article", ["name", "content"]),
  postType("photo", "Photo", ["photo"], ["content"]),
  postType("video", "Video", ["video"], ["content"]),
  postType("reply", "Reply", ["in-reply-to", "content"]),
  postType("like", "Like", ["like-of"], ["content"]),
  postType("repost", "Repost", ["repost-of"], ["content"]),
  postType("bookmark", "Bookmark", ["bookmark-of"], ["name", "content"]),
  postType("rsvp", "RSVP", ["in-reply-to", "rsvp"], ["content"]),
  postType("checkin", "Check-in", ["checkin"], ["content", "photo"]),
];

function postType(type: string, name: string, required: string[], more: string[] = []) {
  const properties = [...required, ...more, ...COMMON_PROPERTIES];
  return { type, name, h: "entry", properties, "required-properties": required };
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_OFFSET = 1_000_000_000;

export function parsePaging(params: URLSearchParams, defaultValue = DEFAULT_LIMIT) {
  const limit = parseWholeNumber(params, "limit", defaultValue);
  if (params.get("limit") && limit < 1) throw malformed("limit must be at least 1.");
  return {
    limit: Math.min(limit, Math.max(defaultValue, MAX_LIMIT)),
    offset: Math.min(parseWholeNumber(params, "offset", 0), MAX_OFFSET),
  };
}

function parseWholeNumber(params: URLSearchParams, name: string, defaultValue: number): number {
  const text = params.get(name);
  if (text === null || text === "") return defaultValue;
  if (!/^\d{1,15}$/.test(text)) throw malformed(`${name} must be a whole number.`);
  return Number(text);
}
