import { type Blog, blogUrl } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { languageOf } from "../../posts/post/post";
import { type ArchivePost, archivePosts, publicPosts, publicTopic } from "../../posts/reading/public-posts";
import type { TopicKind } from "../../posts/storage/categories-and-tags";
import { type Html, html } from "../../text/html";
import { englishLang, say, word } from "../../text/words/words";
import { feedLinks } from "../feeds";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, paginationLinks } from "../layout/pagination-and-search-form";
import type { BlogRequest } from "../route-types";
import { displayTitle, partLanguage, shortDateWriter } from "../titles-dates-and-languages";
import { firstSummary, postList } from "./post-in-lists";

const TITLES_PER_PAGE = 200;

export async function archivePage({ platen, blog, page }: BlogRequest): Promise<Html | null> {
  const { posts, hasOlder } = await archivePosts(platen, blog, { page, limit: TITLES_PER_PAGE });
  if (posts.length === 0 && page > 1) return null;
  const base = blogPath(platen, blog);
  return blogLayout(platen, blog, {
    title: page > 1 ? word(blog, "archivePage", { page }) : word(blog, "archive"),
    canonical: pageAddress(`${blogUrl(platen, blog)}archive`, page),
    main: html`<h1 class="heading"${englishLang(blog)}>${word(blog, "archive")}</h1>
${posts.length > 0 ? years(platen, blog, posts, base) : html`<p class="empty">${say(blog, "noPostsYet")}</p>`}
${paginationLinks(blog, `${base}archive`, page, hasOlder)}`,
  });
}

function years(platen: Platen, blog: Blog, posts: ArchivePost[], base: string): Html[] {
  const { timeZone, language } = blog;
  const yearOf = new Intl.DateTimeFormat(language, { year: "numeric", timeZone });
  const monthOf = new Intl.DateTimeFormat(language, { month: "long", timeZone });
  const formatDate = shortDateWriter(blog);
  const groupBy = (format: Intl.DateTimeFormat, group: ArchivePost[]) => [
    ...Map.groupBy(group, (post) => format.format(post.publishedAt)),
  ];
  const line = (post: ArchivePost) =>
    html`<li><a href="${base}${post.slug}"${partLanguage(languageOf(post, blog), language)}>${displayTitle(platen, post)}</a> ${formatDate(post.publishedAt)}</li>\n`;
  const month = ([name, ofMonth]: [string, ArchivePost[]]) => html`<h3>${name}</h3>
<ul>
${ofMonth.map(line)}
</ul>
`;
  return groupBy(yearOf, posts).map(
    ([year, ofYear]) => html`<section class="year">
<h2>${year}</h2>
${groupBy(monthOf, ofYear).map(month)}
</section>
`,
  );
}

export const categoryPage = (request: BlogRequest, slug: string) => topicPage(request, "category", slug);

export const tagPage = (request: BlogRequest, slug: string) => topicPage(request, "tag", slug);

async function topicPage({ platen, blog, page }: BlogRequest, kind: TopicKind, slug: string) {
  const topic = publicTopic(platen, blog, kind, slug);
  if (!topic) return null;
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
