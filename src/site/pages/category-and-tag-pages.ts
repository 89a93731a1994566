import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import { type PostFilter, publicPosts } from "../../posts/reading/public-lists";
import { publicCategory, publicTag } from "../../posts/reading/public-topics";
import { feedLinks } from "../feeds/feed-formats";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, pageNumber, paginationLinks } from "../layout/pagination";
import type { BlogRequest } from "../route";
import { postList } from "./post-list";

/** The posts of one category; null where it has none to show. */
export function categoryPage(request: BlogRequest, slug: string): Promise<Html | null> | null {
  const category = publicCategory(request.platen, request.blog, slug);
  if (!category) return null;
  const { name, id } = category;
  return topicPage(request, { name, path: `category/${slug}`, filter: { categoryId: id }, hasFeeds: true });
}

/** The posts with one tag; null where none has it. */
export function tagPage(request: BlogRequest, slug: string): Promise<Html | null> | null {
  const tag = publicTag(request.platen, request.blog, slug);
  if (!tag) return null;
  const { name, id } = tag;
  return topicPage(request, { name, path: `tag/${slug}`, filter: { tagId: id }, hasFeeds: false });
}

interface Topic {
  name: string;
  /** Below the blog's address. */
  path: string;
  filter: PostFilter;
  hasFeeds: boolean;
}

async function topicPage(
  { platen, blog, query }: BlogRequest,
  { name, path, filter, hasFeeds }: Topic,
): Promise<Html | null> {
  const page = pageNumber(query);
  if (page === null) return null;
  const { posts, hasOlder } = await publicPosts(platen, blog, "home", {
    page,
    limit: blog.postsAPage,
    ...filter,
  });
  if (posts.length === 0) return null;
  return blogLayout(platen, blog, {
    title: page > 1 ? `${name}, page ${page}` : name,
    canonical: pageAddress(blogUrl(platen, blog) + path, page),
    links: hasFeeds ? feedLinks(platen, blog, { name, path: `${path}/` }) : undefined,
    main: html`<h1 class="heading">${name}</h1>
${postList(platen, blog, name, posts)}
${paginationLinks(blog, blogPath(platen, blog) + path, page, hasOlder)}`,
  });
}
