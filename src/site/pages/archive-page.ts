import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { languageOf } from "../../posts/post/post";
import { type ArchivePost, archivePosts } from "../../posts/reading/public-posts";
import { type Html, html } from "../../text/html";
import { englishLang, say, word } from "../../text/words/words";
import type { BlogRequest } from "../built-in-page";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, pageNumber, paginationLinks } from "../layout/pagination";
import { shortDateWriter } from "../text/dates";
import { partLanguage } from "../text/language";
import { displayTitle } from "../text/title-and-summary";

const TITLES_PER_PAGE = 200;

export async function archivePage({ platen, blog, query }: BlogRequest): Promise<Html | null> {
  const page = pageNumber(query);
  if (page === null) return null;
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
