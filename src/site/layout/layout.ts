import { type Blog, blogUrl } from "../../blogs/blogs";
import { themeOf } from "../../blogs/folder-themes";
import { isBelowBlog, parseFooterLinks } from "../../blogs/navigation-links";
import { actorId, actorOfBlog } from "../../fediverse/blog-actors";
import { hasWebmentions, webmentionUrl } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { type ResolvedLink, resolveNavigation } from "../../posts/reading/navigation-and-home";
import { type Html, html, raw } from "../../text/html";
import { englishLang, word } from "../../text/words/words";
import { fontsOf } from "../../themes/design-choices";
import { type Font, fontPath } from "../../themes/fonts";
import { STANDARD_THEME, type Theme, themeNamed } from "../../themes/theme-list";
import { feedLinks, languageFeedLinks } from "../feeds";
import { placeholderStyles } from "../images/post-images";
import { stylesheetOf, THEME_STYLESHEETS } from "../styles/stylesheets-and-accent";
import { footerForm } from "../subscribe-form";
import { directionOf, partLanguage } from "../titles-dates-and-languages";
import type { LinkedData, PageMetadata } from "./social-tags-and-discovery";
import { discoveryLinks, linkedDataScript, socialTags } from "./social-tags-and-discovery";

export interface Page extends PageMetadata {
  /** Adds noindex, nofollow. */
  isUnlisted?: boolean;
  /** Whether `main` is a text of Platen, which is English if the blog's language has no translation. */
  isInEnglish?: boolean;
  /** The blog's title is the h1 of the home page, unless `isHeaded`. */
  isHome?: boolean;
  /** Language of `main`'s text, if not the blog's. Header and footer stay in the blog's language. */
  language?: string;
  isHeaded?: boolean;
  hasNoForm?: boolean;
  links?: Html;
  data?: LinkedData;
  /** The blog's absolute URL, if the page may be on another host. */
  base?: string;
  main: Html;
}

export function blogLayout(platen: Platen, blog: Blog, { ...page }: Page): Html {
  page.description ||= blog.description || page.title || blog.title;
  const base = page.base ?? blogPath(platen, blog);
  const name = html`<a href="${base}">${blog.title}</a>`;
  const englishAttribute = englishLang(blog);
  const theme = themeOf(platen, blog);
  const head = {
    language: page.language ?? blog.language,
    frameLanguage: blog.language,
    title: page.title ? `${page.title} – ${blog.title}` : blog.title,
    description: page.description,
    isUnlisted: page.isUnlisted,
    styles: stylesheetOf(platen, blog).path,
    fonts: filesAtTop(fontsOf(theme, blog.design), theme),
    header: blog.design.header,
    more: html`${page.canonical && html`<link rel="canonical" href="${page.canonical}">\n`}${page.links}${feedLinks(platen, blog)}${languageFeedLinks(platen, blog)}${iconLinks(base)}${page.isHome && ownerLinks(platen, blog)}${hasWebmentions(blog) ? html`<link rel="webmention" href="${webmentionUrl(platen, blog)}">\n` : null}${discoveryLinks(platen)}${socialTags(blog, page)}${page.data && linkedDataScript(page.data)}${placeholderStyles(platen, page.main)}`,
  };
  const body = html`
<a class="skip" href="#main"${englishAttribute}>${word(blog, "skipToContent")}</a>
<header class="site">
${page.isHome && !page.isHeaded ? html`<h1 class="name">${name}</h1>` : html`<p class="name">${name}</p>`}
${page.isHome && blog.description ? html`<p class="about">${blog.description}</p>` : null}
${navigation(platen, blog, page, base)}${blog.headerHtml && html`<div class="owner">${raw(blog.headerHtml)}</div>\n`}</header>
<main id="main"${page.isInEnglish && englishAttribute && html`${englishAttribute} dir="ltr"`}>
${page.main}
</main>
<footer class="site">
${!page.hasNoForm && footerForm(blog, base)}<nav aria-label="${word(blog, "thisBlog")}"${englishAttribute}>${footerLinks(blog, base)}</nav>
${blog.footerHtml && html`<div class="owner">${raw(blog.footerHtml)}</div>\n`}</footer>`;
  return wholeDocument(head, body);
}

function navigation(platen: Platen, blog: Blog, { canonical }: Page, base: string): Html | null {
  const links = resolveNavigation(platen, blog).filter(({ isShown }) => isShown);
  if (links.length === 0) return null;
  const currentPage = canonical?.split("?")[0];
  const link = ({ link, address, path }: ResolvedLink) => {
    const isHere = path !== null && blogUrl(platen, blog) + path === currentPage;
    return html`<a href="${path === null ? address : base + path}"${isHere && html` aria-current="page"`}>${link.label}</a>`;
  };
  return html`<nav class="ways" aria-label="${blog.title}">${links.map((one, at) => html`${at > 0 && " "}${link(one)}`)}</nav>\n`;
}

function footerLinks(blog: Blog, base: string): Html | Html[] {
  const links = parseFooterLinks(blog.design.footerLinks ?? "");
  if (links.length === 0)
    return html`<a href="${base}archive">${word(blog, "archive")}</a> <a href="${base}search">${word(blog, "search")}</a> <a href="${base}feed.xml">RSS</a>`;
  const resolve = (address: string) => (isBelowBlog(address) ? base + address.slice(1) : address);
  return links.map(
    ({ label, address }, at) =>
      html`${at > 0 && " "}<a href="${resolve(address)}" lang="${blog.language}">${label}</a>`,
  );
}

export function bareLayout(page: { title: string; main: Html }): Html {
  const styles = THEME_STYLESHEETS[STANDARD_THEME].path;
  const fonts = filesAtTop(themeNamed(STANDARD_THEME).fonts);
  const head = { language: "en", title: page.title, isUnlisted: true, styles, fonts };
  return wholeDocument(head, html`<main id="main" class="bare">${page.main}</main>`);
}

export function blogPath(platen: Platen, blog: Blog): string {
  return new URL(blogUrl(platen, blog)).pathname;
}

function iconLinks(base: string): Html {
  return html`<link rel="icon" href="${base}favicon.svg" type="image/svg+xml" sizes="any">
<link rel="apple-touch-icon" href="${base}icon-180.png">
<link rel="manifest" href="${base}site.webmanifest">
`;
}

function ownerLinks(platen: Platen, blog: Blog): Html {
  const actor = actorOfBlog(platen, blog);
  const profiles = blog.profiles.map((profile) => html`<link rel="me" href="${profile}">\n`);
  return html`${profiles}${activityLink(actor ? actorId(actor) : null)}`;
}

export function activityLink(url: string | null) {
  return url !== null && html`<link rel="alternate" type="application/activity+json" href="${url}">\n`;
}

function filesAtTop(fonts: Font[], { hasItalicsAtTop }: Pick<Theme, "hasItalicsAtTop"> = {}): string[] {
  return fonts.flatMap(({ upright, italic }) => (hasItalicsAtTop && italic ? [upright, italic] : [upright]));
}

interface Head {
  language: string;
  frameLanguage?: string;
  title: string;
  description?: string;
  isUnlisted?: boolean;
  styles: string;
  fonts: string[];
  header?: string;
  more?: Html;
}

function wholeDocument(head: Head, body: Html): Html {
  const { language, title, description, isUnlisted, styles, fonts, more } = head;
  const { frameLanguage = language, header = "theme" } = head;
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${description && html`<meta name="description" content="${description}">\n`}${isUnlisted && html`<meta name="robots" content="noindex,nofollow">\n`}${more}${fonts.map((file) => html`<link rel="preload" href="${fontPath(file)}" as="font" type="font/woff2" crossorigin>\n`)}<link rel="stylesheet" href="${styles}">
</head>
<body${partLanguage(frameLanguage, language)}${header !== "theme" && html` data-header="${header}"`}>${body}
</body>
</html>
`;
}
