import { type Blog, blogUrl } from "../../blogs/blogs";
import { themeOf } from "../../blogs/folder-themes";
import type { Platen } from "../../platen";
import { homeCategory, homePost } from "../../posts/reading/navigation-and-home";
import { pinnedPosts, publicLanguages, publicPosts } from "../../posts/reading/public-posts";
import { postOfRow } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { englishLang, say, word } from "../../text/words/words";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, paginationLinks } from "../layout/pagination-and-search-form";
import { blogData } from "../layout/social-tags-and-discovery";
import type { BlogRequest } from "../route-types";
import { alternateLink, languageName, partLanguage } from "../titles-dates-and-languages";
import { postPage } from "./post-and-share-pages";
import { firstSummary, postList, postSections } from "./post-in-lists";

export async function homePage({ platen, blog, query, page }: BlogRequest): Promise<Html | null> {
  const post = homePost(platen, blog);
  if (post) return page === 1 ? postPage(platen, postOfRow(platen, post, blog)) : null;
  const language = query.get("lang") ?? undefined;
  const languages = language || blog.design.languageMenu ? publicLanguages(platen, blog) : [];
  if (language !== undefined && !languages.includes(language)) return null;
  const hasMenu = blog.design.languageMenu === true && languages.length > 1;
  const filter = { categoryId: homeCategory(platen, blog)?.id, language };
  const address = language === undefined ? "" : `?lang=${language}`;
  const part = { page, limit: blog.postsAPage, ...filter };
  const { posts, hasOlder } = await publicPosts(platen, blog, "home", part);
  if (posts.length === 0 && page > 1) return null;
  const pinned = page === 1 ? pinnedPosts(platen, blog, filter) : [];
  const isPinned = new Set(pinned.map(({ id }) => id));
  const others = posts.filter(({ id }) => !isPinned.has(id));
  const list = page === 1 && themeOf(platen, blog).hasSections ? postSections : postList;
  return blogLayout(platen, blog, {
    title: page > 1 ? word(blog, "pageNumber", { page }) : undefined,
    description: (page === 1 && blog.description) || firstSummary(platen, others),
    canonical: pageAddress(blogUrl(platen, blog) + address, page),
    data: page === 1 && !language ? blogData(platen, blog) : undefined,
    isHome: true,
    language,
    links: hasMenu ? html`${languageLinks(platen, blog, languages)}` : undefined,
    main: html`${hasMenu && languageMenu(platen, blog, languages, language)}${list(platen, blog, blog.title, [...pinned, ...others], pinned.length)}
${posts.length === 0 ? html`<p class="empty">${say(blog, "noPostsYet")}</p>` : null}
${paginationLinks(blog, blogPath(platen, blog) + address, page, hasOlder)}`,
  });
}

/** The menu is the same for every reader, so that caches can store the page. */
function languageMenu(platen: Platen, blog: Blog, languages: string[], current?: string): Html {
  const base = blogPath(platen, blog);
  const link = (language: string, at: number) =>
    html`${at > 0 && " "}<a href="${base}?lang=${language}" hreflang="${language}"${language === current && html` aria-current="page"`}${partLanguage(language, blog.language)}>${languageName(language)}</a>`;
  return html`<nav class="languages" aria-label="${word(blog, "languages")}"${englishLang(blog)}>${languages.map(link)}</nav>
`;
}

function languageLinks(platen: Platen, blog: Blog, languages: string[]): Html[] {
  const url = blogUrl(platen, blog);
  const pages = languages.map((language) => ({ language, url: `${url}?lang=${language}` }));
  return [...pages, { language: "x-default", url }].map(alternateLink);
}
