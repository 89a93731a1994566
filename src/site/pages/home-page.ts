import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import { publicPosts } from "../../posts/reading/public-lists";
import { blogLayout, blogPath } from "../layout/layout";
import { blogData } from "../layout/linked-data";
import { POSTS_A_PAGE, pageAddress, pageNumber, paginationLinks } from "../layout/pagination";
import type { BlogRequest } from "../route";
import { inEnglish } from "../text/language";
import { postList } from "./post-list";

/** The newest posts of a blog; null past the last page. */
export function homePage({ platen, blog, query }: BlogRequest): Html | null {
  const page = pageNumber(query);
  if (page === null) return null;
  const { posts, hasOlder } = publicPosts(platen, blog, "home", { page, limit: POSTS_A_PAGE });
  if (posts.length === 0 && page > 1) return null;
  return blogLayout(platen, blog, {
    title: page > 1 ? `Page ${page}` : undefined,
    description: blog.description,
    canonical: pageAddress(blogUrl(platen, blog), page),
    data: page === 1 ? blogData(platen, blog) : undefined,
    isHome: true,
    main: html`${postList(platen, blog, blog.title, posts)}
${posts.length === 0 ? html`<p class="empty">${inEnglish(blog, "Nothing here yet.")}</p>` : null}
${paginationLinks(blog, blogPath(platen, blog), page, hasOlder)}`,
  });
}
