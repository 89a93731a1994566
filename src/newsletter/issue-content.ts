import { type Blog, blogUrl, postUrl } from "../blogs/blogs";
import type { Platen } from "../platen";
import { excerpt } from "../posts/content/plain-text-and-excerpts";
import { replyContext } from "../posts/content/reply-context";
import { insertBaseUrl } from "../posts/post/mf2-properties";
import { languageOf, type Post } from "../posts/post/post";
import { contentOf, excerptOf } from "../posts/storage/stored-posts";
import { oneLine } from "../text/clean-text";
import { type Html, html, raw } from "../text/html";
import { word, wordHtml, wordLanguage } from "../text/words/words";
import { mailContent, QUIET } from "./mail-html";

export interface IssueMail {
  subject: string;
  html: string;
  text: string;
}

/** Texts by the owner; "" for the default. */
export interface IssueWords {
  subject: string;
  preview: string;
}

/** Gmail cuts mails at 102 KB. */
export const MAX_MAIL_BYTES = 90_000;
const FRAME_BYTES = 6000;
/** Sanitized text contains no control characters, so a post cannot contain this placeholder. */
const LEAVE_MARK = "\u001Aleave\u001A";
export const MAX_ISSUE_LENGTHS = { subject: 150, preview: 200 };
const COLUMN = "max-width:600px;margin:0 auto;padding:24px 20px 40px";

const SERIF = "Georgia,'Times New Roman',serif";
const SANS = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const FONT_STACKS: Record<string, string> = {
  serif: SERIF,
  journal: SERIF,
  sans: SANS,
  photo: SANS,
  magazine: SANS,
  mono: "ui-monospace,Menlo,Consolas,monospace",
};

export function addUnsubscribeLink({ subject, html, text }: IssueMail, leaveUrl: string): IssueMail {
  return {
    subject,
    html: html.replaceAll(LEAVE_MARK, Bun.escapeHTML(leaveUrl)),
    text: text.replaceAll(LEAVE_MARK, leaveUrl),
  };
}

export function defaultSubject(platen: Platen, post: Post): string {
  return oneLine(post.title) || summaryLine(platen, post, 60) || post.blog.title;
}

export function defaultPreview(platen: Platen, post: Post): string {
  return summaryLine(platen, post, MAX_ISSUE_LENGTHS.preview);
}

export function summaryLine(platen: Platen, post: Post, most: number): string {
  return excerpt(post.summary ?? excerptOf(platen, post), most);
}

export function postMail(platen: Platen, post: Post, words: IssueWords): IssueMail {
  const { blog } = post;
  const url = postUrl(platen, blog, post);
  const stored = `${replyContext(post.properties) ?? ""}${contentOf(platen, post.id).html}`;
  const absolute = insertBaseUrl(stored, platen.config.url);
  const content = mailContent(absolute, url, MAX_MAIL_BYTES - FRAME_BYTES);
  const subject = words.subject || defaultSubject(platen, post);
  const readOn = word(blog, content.isCut ? "readOn" : "readOnWeb");
  const heading =
    post.title &&
    html`<h1 style="font-size:1.75em;line-height:1.2;margin:0 0 .8em">${link(url, post.title)}</h1>`;
  return {
    subject,
    html: mailFrame(platen, blog, {
      subject,
      preview: words.preview || defaultPreview(platen, post),
      main: html`<div lang="${languageOf(post, blog)}" dir="auto">${heading}${raw(content.html)}</div>
<p style="margin:1.8em 0 0">${link(url, readOn, true)}</p>`,
    }),
    text: textFrame(platen, blog, [post.title && underlined(post.title), content.text, `${readOn}: ${url}`]),
  };
}

export function link(url: string, words: string, isUnderlined = false): Html {
  return html`<a href="${url}" style="color:inherit;text-decoration:${isUnderlined ? "underline" : "none"}">${words}</a>`;
}

/** Sets no text or page color, so that the mail follows the light or dark mode of the mail program. */
export function mailFrame(
  platen: Platen,
  blog: Blog,
  frame: { subject: string; preview: string; main: Html },
) {
  const { subject, preview, main } = frame;
  const url = blogUrl(platen, blog);
  return html`<!doctype html>
<html lang="${blog.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>:root{color-scheme:light dark}</style>
</head>
<body style="margin:0;padding:0;color-scheme:light dark">
<div style="display:none;max-height:0;overflow:hidden;font-size:1px">${preview}</div>
<div dir="auto" style="${COLUMN};font-family:${FONT_STACKS[blog.design.fonts ?? blog.theme] ?? SANS};font-size:17px;line-height:1.6;overflow-wrap:break-word">
<p style="margin:0 0 2.2em;font-size:.9em;${QUIET}">${link(url, blog.title)}</p>
${main}
<p lang="${wordLanguage(blog)}" dir="auto" style="margin:3em 0 0;padding-top:1.2em;border-top:1px solid rgba(128,128,128,.4);font-size:.8em;line-height:1.5;${QUIET}">${wordHtml(blog, "youSubscribed", { title: link(url, blog.title, true) })} <a href="${LEAVE_MARK}" style="color:inherit;text-decoration:underline">${word(blog, "unsubscribe")}</a></p>
</div>
</body>
</html>
`.markup;
}

export function textFrame(platen: Platen, blog: Blog, parts: (string | false | "")[]): string {
  return `${parts.filter(Boolean).join("\n\n")}

———
${word(blog, "youSubscribed", { title: blog.title })}
${blogUrl(platen, blog)}
${word(blog, "unsubscribe")}: ${LEAVE_MARK}
`;
}

export function underlined(title: string): string {
  return `${title}\n${"=".repeat(Math.min([...title].length, 60))}`;
}
