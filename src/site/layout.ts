import { blogUrl } from "../blogs/addresses";
import type { Blog } from "../blogs/blogs";
import { type Html, html } from "../html";
import { stylesheet } from "../http/assets";
import type { Platen } from "../platen";
import css from "./style.css" with { type: "text" };

export const styles = stylesheet("style", css);

export interface Page {
  /** As the tab shows it; the blog's title is added. */
  title?: string;
  description?: string;
  /** The page's one address, absolute. */
  canonical?: string;
  /** Keeps search engines away. */
  isUnlisted?: boolean;
  /** On a blog's front page its title is the heading. */
  isHome?: boolean;
  main: Html;
}

/** What every page of a blog looks like around its own part. */
export function blogLayout(platen: Platen, blog: Blog, page: Page): Html {
  const title = page.title ? `${page.title} – ${blog.title}` : blog.title;
  const name = html`<a href="${blogPath(platen, blog)}">${blog.title}</a>`;
  return shell(
    blog.language,
    { ...page, title },
    html`
<a class="skip" href="#main">Skip to the text</a>
<header class="site">
${page.isHome ? html`<h1 class="name">${name}</h1>` : html`<p class="name">${name}</p>`}
${page.isHome && blog.description ? html`<p class="about">${blog.description}</p>` : null}
</header>
<main id="main">
${page.main}
</main>`,
  );
}

/** A page that belongs to no blog. */
export function bareLayout(page: { title: string; main: Html }): Html {
  return shell("en", { ...page, isUnlisted: true }, html`<main id="main" class="bare">${page.main}</main>`);
}

/** The path that a blog's own addresses begin with, for links inside it: they hold on whatever host was asked. */
export function blogPath(platen: Platen, blog: Blog): string {
  return new URL(blogUrl(platen, blog)).pathname;
}

function shell(language: string, page: Omit<Page, "main">, body: Html): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
${page.description ? html`<meta name="description" content="${page.description}">` : null}
${page.isUnlisted ? html`<meta name="robots" content="noindex,nofollow">` : null}
${page.canonical ? html`<link rel="canonical" href="${page.canonical}">` : null}
<link rel="stylesheet" href="${styles.path}">
</head>
<body>${body}
</body>
</html>
`;
}
