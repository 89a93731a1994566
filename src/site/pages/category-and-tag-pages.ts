import { blogUrl } from "../../blogs/permalinks";
import { publicPosts, publicTopic } from "../../posts/reading/public-posts";
import type { TopicKind } from "../../posts/topics/topics";
import { html } from "../../text/html";
import { word } from "../../text/words/words";
import type { BlogRequest } from "../built-in-page";
import { feedLinks } from "../feeds/feeds";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, pageNumber, paginationLinks } from "../layout/pagination";
import { firstSummary, postList } from "./post-in-lists";

export const categoryPage = (request: BlogRequest, slug: string) => topicPage(request, "category", slug);

export const tagPage = (request: BlogRequest, slug: string) => topicPage(request, "tag", slug);

async function topicPage({ platen, blog, query }: BlogRequest, kind: TopicKind, slug: string) {
  const topic = publicTopic(platen, blog, kind, slug);
  const page = pageNumber(query);
  if (!topic || page === null) return null;
  const { name, id } = topic;
  const path = `${kind}/${slug}`;
  const part = { page, limit: blog.postsAPage, [`${kind}Id`]: id };
  const { posts, hasOlder } = await publicPosts(platen, blog, "home", part);
  if (posts.length === 0) return null;
  return blogLayout(platen, blog, {
    title: page > 1 ? word(blog, "titlePage", { title: name, page }) : name,
    description: firstSummary(platen, posts),
    canonical: pageAddress(blogUrl(platen, blog) + path, page),
    links: kind === "category" ? feedLinks(platen, blog, { name, path: `${path}/` }) : undefined,
    main: html`<h1 class="heading">${name}</h1>
${postList(platen, blog, name, posts)}
${paginationLinks(blog, blogPath(platen, blog) + path, page, hasOlder)}`,
  });
}
