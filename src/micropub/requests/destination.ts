import { targetBlog } from "../../access/scopes";
import type { Caller } from "../../accounts/keys";
import { type Blog, listBlogs } from "../../blogs/blogs";
import { blogUrl, isSamePage } from "../../blogs/permalinks";
import { MAX_LENGTHS } from "../../config/request-limits";
import { invalid, notFound } from "../../errors";
import type { Call } from "../../http/requests/call";
import { readHeader } from "../../http/requests/headers";
import type { Platen } from "../../platen";
import type { Commands } from "./parsed-request";

/** mp-destination (a URL) precedes blog_id; the body precedes the query and the header X-Blog-ID. */
export function namedBlog(call: Call, caller: Caller, commands: Commands = {}): Blog | undefined {
  const { platen, request, url } = call;
  const namedValue = (name: string) =>
    textIn(name, commands[name]?.[0]) || textIn(name, url.searchParams.get(name) ?? "");
  const destination = namedValue("mp-destination");
  if (destination) return targetBlog(platen, caller, blogIdAt(platen, destination));
  const id = namedValue("blog_id") || readHeader(request, "x-blog-id")?.trim();
  if (!id) return undefined;
  if (!/^\d{1,15}$/.test(id)) throw invalid({ blog_id: ["must be a whole number"] });
  return targetBlog(platen, caller, Number(id));
}

export function targetBlogOf(call: Call, caller: Caller, commands?: Commands): Blog {
  return namedBlog(call, caller, commands) ?? targetBlog(call.platen, caller);
}

function blogIdAt(platen: Platen, destination: string): number {
  const blog = listBlogs(platen).find((each) => isSamePage(destination, blogUrl(platen, each)));
  if (!blog) throw notFound(`blog: ${destination.slice(0, 200)}. See destination in q=config`);
  return blog.id;
}

function textIn(name: string, value: unknown = ""): string {
  if (typeof value !== "string" && typeof value !== "number")
    throw invalid({ [name]: ["must be a string or a number"] });
  const text = String(value);
  if (text.length > MAX_LENGTHS.webAddress)
    throw invalid({ [name]: [`must be at most ${MAX_LENGTHS.webAddress} characters`] });
  return text;
}
