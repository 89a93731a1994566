import { type Blog, blogUrl } from "../blogs/blogs";
import { MAX_LENGTHS } from "../config/request-limits";
import { NEWSLETTER, newsletterOf } from "../newsletter/newsletter-settings";
import type { Platen } from "../platen";
import { type Html, html, raw } from "../text/html";
import { englishLang, word } from "../text/words/words";

export const HONEYPOT = "subject";

interface FormOptions {
  base: string;
  button?: Html | string;
  email?: string;
  error?: string;
  /** Whether text above the form already names the field. */
  isTitled?: boolean;
}

/** The elements have no ids, because a page may contain several forms. */
export function subscribeForm(blog: Blog, { base, button, email, error, isTitled }: FormOptions): Html {
  const englishAttribute = englishLang(blog);
  return html`<form class="subscribe" method="post" action="${base}${NEWSLETTER}">
<label${englishAttribute}><span${isTitled && raw(' class="spoken"')}>${word(blog, "emailAddress")}</span>
<input type="email" name="email" required maxlength="${MAX_LENGTHS.email}" autocomplete="email" placeholder="you@example.com"${email && html` value="${email}"`}${error && html` aria-invalid="true"`}></label>
<label class="unseen"${englishAttribute}>${word(blog, "leaveEmpty")} <input name="${HONEYPOT}" tabindex="-1" autocomplete="off"></label>
<button${!button && englishAttribute}>${button ?? word(blog, "subscribe")}</button>
${error && html`<p class="wrong" role="alert"${englishAttribute}>${error}</p>`}</form>`;
}

export function footerForm(blog: Blog, base: string): Html | null {
  if (!newsletterOf(blog)) return null;
  const englishAttribute = englishLang(blog);
  // The page's policy allows forms only to its own host, so on other hosts this is a link.
  if (!base.startsWith("/"))
    return html`<p class="get-mail"${englishAttribute}><a href="${base}${NEWSLETTER}">${word(blog, "getNewPosts")}</a></p>\n`;
  return html`<section class="get-mail"><p${englishAttribute}>${word(blog, "getNewPosts")}</p>
${subscribeForm(blog, { base, isTitled: true })}</section>
`;
}

/** A paragraph that consists of one link. Sanitized HTML has its attributes in double quotes. */
const LONE_LINK =
  /<p(?: [^<>]{0,200})?>\s{0,9}<a (?:[^<>]{0,200} )?href="([^"]{1,500})"[^<>]{0,200}>((?:(?!<\/a>).){0,300})<\/a>\s{0,9}<\/p>/g;

/** Replaces a paragraph that contains only a link to the newsletter's page. Its text becomes the button. */
export function expandSubscribeLinks(platen: Platen, blog: Blog, content: string): string {
  if (!content.includes(NEWSLETTER) || !newsletterOf(blog)) return content;
  const url = blogUrl(platen, blog);
  const { pathname: base } = new URL(url);
  const isOurs = (address: string) =>
    address === `/${NEWSLETTER}` || URL.parse(address, url)?.href === url + NEWSLETTER;
  return content.replace(LONE_LINK, (paragraph, address: string, label: string) =>
    isOurs(address) ? subscribeForm(blog, { base, button: raw(label) }).markup : paragraph,
  );
}
