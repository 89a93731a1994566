import { themeOf } from "../../blogs/appearance/folder-themes";
import { blogUrl } from "../../blogs/permalinks";
import { homeCategory, homePost } from "../../posts/linked/link-targets";
import { pinnedPosts, publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { say, word } from "../../text/words/words";
import { blogLayout, blogPath } from "../layout/layout";
import { blogData } from "../layout/linked-data";
import { pageAddress, pageNumber, paginationLinks } from "../layout/pagination";
import type { BlogRequest } from "../route";
import { firstSummary, postList, postSections } from "./post-in-lists";
import { postPage } from "./post-page";

/** The home page: newest posts, posts of a category, or a page. null past the last page. */
export async function homePage({ platen, blog, query }: BlogRequest): Promise<Html | null> {
  const page = pageNumber(query);
  if (page === null) return null;
  const own = homePost(platen, blog);
  if (own) return page === 1 ? postPage(platen, postOfRow(platen, own, blog)) : null;
  const filter = { categoryId: homeCategory(platen, blog)?.id };
  const { posts, hasOlder } = await publicPosts(platen, blog, "home", {
    page,
    limit: blog.postsAPage,
    ...filter,
  });
  if (posts.length === 0 && page > 1) return null;
  const pinned = page === 1 ? pinnedPosts(platen, blog, filter) : [];
  const isPinned = new Set(pinned.map(({ id }) => id));
  const others = posts.filter(({ id }) => !isPinned.has(id));
  const list = page === 1 && themeOf(platen, blog).hasSections ? postSections : postList;
  return blogLayout(platen, blog, {
    title: page > 1 ? word(blog, "pageNumber", { page }) : undefined,
    description: (page === 1 && blog.description) || firstSummary(platen, others),
    canonical: pageAddress(blogUrl(platen, blog), page),
    data: page === 1 ? blogData(platen, blog) : undefined,
    isHome: true,
    main: html`${list(platen, blog, blog.title, others, pinned)}
${posts.length === 0 ? html`<p class="empty">${say(blog, "noPostsYet")}</p>` : null}
${paginationLinks(blog, blogPath(platen, blog), page, hasOlder)}`,
  });
}
