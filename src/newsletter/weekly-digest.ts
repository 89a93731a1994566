import { and, asc, eq, ne } from "drizzle-orm";
import { type Blog, postUrl } from "../blogs/blogs";
import { findRow, insertRow } from "../database/rows";
import { newsletterIssues, posts } from "../database/schema";
import { mediaPath, renditionPath } from "../media/files/media-urls";
import { renditionWidths } from "../media/files/rendition-sizes";
import type { Platen } from "../platen";
import { altTextOf, languageOf, type Post, previewImage } from "../posts/post/post";
import { type Html, type HtmlValue, html } from "../text/html";
import { word } from "../text/words/words";
import {
  defaultSubject,
  type IssueMail,
  type IssueWords,
  link,
  MAX_ISSUE_LENGTHS,
  mailFrame,
  summaryLine,
  textFrame,
  underlined,
} from "./issue-content";

type Digest = typeof newsletterIssues.$inferSelect;

/** Monday at 9:00 in the blog's time zone. */
const DIGEST_DAY = 1;
const DIGEST_TIME = "09:00";

export function openDigest(platen: Platen, blog: Blog): Digest {
  // A digest with an event was interrupted: some subscribers have it already.
  const isOpen = { blogId: blog.id, state: "waiting", postId: null, eventId: null } as const;
  const open = findRow(platen, newsletterIssues, isOpen);
  if (open) return open;
  const at = platen.now();
  const dueAt = nextDigest(at, blog.timeZone);
  return insertRow(platen, newsletterIssues, { blogId: blog.id, createdAt: at, state: "waiting", dueAt });
}

export function nextDigest(at: Date, zone: string): Date {
  const now = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  const today = now.toPlainDate().toZonedDateTime({ timeZone: zone, plainTime: DIGEST_TIME });
  const next = today.add({ days: (DIGEST_DAY - now.dayOfWeek + 7) % 7 });
  const isPast = next.epochMilliseconds <= at.getTime();
  return new Date((isPast ? next.add({ days: 7 }) : next).epochMilliseconds);
}

/** Oldest first. Some posts may no longer be live. */
export function postsInDigest({ db }: Platen, { id }: Pick<Digest, "id">): number[] {
  return db
    .select({ id: posts.id })
    .from(newsletterIssues)
    .innerJoin(posts, eq(posts.id, newsletterIssues.postId))
    .where(and(eq(newsletterIssues.digestId, id), ne(newsletterIssues.state, "cancelled")))
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .all()
    .map((row) => row.id);
}

export function digestMail(platen: Platen, blog: Blog, posts: Post[], words: IssueWords): IssueMail {
  const names = posts.map((post) => defaultSubject(platen, post));
  const [first = blog.title, ...others] = names;
  const subject =
    words.subject || (others.length === 0 ? first : word(blog, "andMore", { first, count: others.length }));
  return {
    subject,
    html: mailFrame(platen, blog, {
      subject,
      preview: words.preview || names.join(" · ").slice(0, MAX_ISSUE_LENGTHS.preview),
      main: html`${posts.map((post) => digestEntry(platen, post))}`,
    }),
    text: textFrame(
      platen,
      blog,
      posts.flatMap((post) => [
        post.title && underlined(post.title),
        summaryLine(platen, post, 300),
        postUrl(platen, blog, post),
      ]),
    ),
  };
}

const DIGEST_PICTURE_WIDTH = 600;

function digestEntry(platen: Platen, post: Post): Html {
  const url = postUrl(platen, post.blog, post);
  const blob = previewImage(post);
  const width = blob && renditionWidths(blob).find((size) => size >= DIGEST_PICTURE_WIDTH);
  const picture =
    blob &&
    html`<a href="${url}"><img src="${platen.config.url}${width ? renditionPath(blob, width) : mediaPath(blob)}" alt="${altTextOf(blob, post.altText)}"${pictureSize(blob)} style="display:block;max-width:100%;height:auto;border:0;margin:0 0 .8em"></a>`;
  const language = languageOf(post, post.blog);
  const heading =
    post.title &&
    html`<h2 lang="${language}" dir="auto" style="font-size:1.35em;line-height:1.25;margin:0 0 .4em">${link(url, post.title)}</h2>`;
  return html`<div style="margin:0 0 2.6em">${picture}
${heading}
<p lang="${language}" dir="auto" style="margin:0 0 .5em">${summaryLine(platen, post, 300)}</p>
<p style="margin:0">${link(url, word(post.blog, "readOn"), true)}</p></div>`;
}

function pictureSize({ width, height }: { width: number | null; height: number | null }): HtmlValue {
  if (!width || !height) return null;
  const shown = Math.min(width, DIGEST_PICTURE_WIDTH);
  return html` width="${shown}" height="${Math.round((height * shown) / width)}"`;
}
