import { and, asc, eq, gt, inArray, lt, max, ne, not, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Account } from "../accounts/accounts";
import { createPasswordReset } from "../accounts/passwords";
import { type Blog, blogsOf } from "../blogs/blogs";
import { findRows } from "../database/rows";
import { importRecords, imports, komments, messages, posts } from "../database/schema";
import type { MailContent } from "../mail/mail-layout";
import type { Platen } from "../platen";
import { plainText } from "../posts/content/plain-text-and-excerpts";
import { counted } from "../text/numbers";
import type { NoticeDetails, NoticeName } from "./notice-recording-and-choices";

const MAX_QUOTES = 10;
const MAX_QUOTE_LENGTH = 600;
/** In characters, of a komment or its HTML. */
const MAX_READ_LENGTH = 6000;
/** Maximum number of komments, and of messages, that are read. A flood of spam must not fill the memory. */
const MAX_COUNTED = 500;

const IF_NOT_YOU = "If this wasn't you, set a new password now. That signs out all browsers.";

export function noticeContent(platen: Platen, account: Account, name: NoticeName, details: NoticeDetails) {
  const { about = "", path = "/admin" } = details;
  const { url } = platen.config;
  const footer = `You get this e-mail because you have an account at ${url}.`;
  const settings = { label: "Choose which e-mails you get", url: `${url}/admin/account#notices` };
  const activity = { label: "Open your account", url: `${url}/admin/account` };
  const problem = (subject: string, advice: string, label: string, place = path) => ({
    ...{ subject, lines: [about, advice], button: { label, url: url + place }, footer, settings },
  });
  switch (name) {
    case "readers wrote":
      return readersContent(platen, account, details, { footer, settings });
    case "signed in": {
      const lines = [`Someone signed in to your account from a new browser: ${about}.`, IF_NOT_YOU];
      return { subject: "New sign-in to your account", lines, button: activity, footer, settings };
    }
    case "changed the password": {
      const lines = [`The password of your account was changed (${about}).`, IF_NOT_YOU];
      return { subject: "Your password was changed", lines, button: activity, footer };
    }
    case "changed the e-mail address": {
      const lines = [
        `You now sign in with ${about}. From now on, e-mails go to that address.`,
        "If this wasn't you, ask an admin of the server for help.",
      ];
      return { subject: "Your e-mail address was changed", lines, footer };
    }
    case "forgot the password": {
      const subject = "Set a new password";
      const lines = [
        "Someone asked for a new password for your account. The link works once and expires after 30 minutes.",
        "If this wasn't you, ignore this e-mail. Your password stays the same.",
      ];
      const button = { label: subject, url: createPasswordReset(platen, account) };
      return { subject, lines, button, footer };
    }
    case "webhook turned off":
      return problem(
        "A webhook was turned off",
        "Repair the receiver, then turn the webhook on again and send the missed events.",
        "Open webhooks",
      );
    case "copies stopped":
      return problem(
        "Posts are no longer copied",
        "Connect the account again. Waiting posts are then copied.",
        "Open Reach",
      );
    case "backup failed":
      return problem("The backup failed", "Platen tries again every hour.", "Open backups", "/admin/backups");
    case "disk nearly full":
      return problem(
        "The disk is nearly full",
        "When the disk is full, nothing can be saved. Free some space, or move the data folder to a larger disk.",
        "Open the admin",
        "/admin/about",
      );
  }
}

function readersContent(
  platen: Platen,
  account: Account,
  { komment = 0, message = 0 }: NoticeDetails,
  ending: Pick<MailContent, "footer" | "settings">,
): MailContent | null {
  const blogs = blogsOf(platen, account);
  const blogIds = blogs.map(({ id }) => id);
  const newKomments = kommentsAfter(platen, blogIds, komment);
  const newMessages = messagesAfter(platen, blogIds, message);
  const total = newKomments.length + newMessages.length;
  if (total === 0) return null;
  const waiting = newKomments.filter(({ status }) => status === "waiting").length;
  const isOrAre = waiting === 1 ? "A komment is" : `${waiting} komments are`;
  const what = [
    newKomments.length > 0 && counted(newKomments.length, "new komment"),
    newMessages.length > 0 && counted(newMessages.length, "new message"),
  ].filter(Boolean);
  const pageOf = (blogId: number) =>
    `${platen.config.url}/admin/blogs/${blogs.find(({ id }) => id === blogId)?.slug}`;
  const quotes = [
    ...newKomments.slice(0, MAX_QUOTES).map(({ id, blogId, name, source, html, origin, title }) => ({
      title: `${name} on ${title || "a post"}`,
      text: shortened(origin === "" ? source : plainText(html)),
      url: `${pageOf(blogId)}/komments/${id}`,
    })),
    ...newMessages.slice(0, MAX_QUOTES).map(({ blogId, name, text }) => ({
      title: `${name} wrote to you`,
      text: shortened(text),
      url: `${pageOf(blogId)}/messages`,
    })),
  ].slice(0, MAX_QUOTES);
  const about = new Set([...newKomments, ...newMessages].map(({ blogId }) => blogId));
  const blog = blogs.find(({ id }) => about.has(id)) as Blog;
  const label = waiting > 0 ? "Approve, reject or reply" : "Read and reply";
  const url = `${pageOf(blog.id)}/${newKomments.length > 0 ? "komments" : "messages"}`;
  return {
    subject: `${what.join(" and ")} on ${about.size === 1 ? blog.title : "your blogs"}`,
    lines: waiting === 0 ? [] : [`${isOrAre} waiting for your approval.`],
    quotes: [
      ...quotes,
      ...(total > MAX_QUOTES ? [{ title: `… and ${total - MAX_QUOTES} more`, text: "" }] : []),
    ],
    ...(about.size === 1 && { button: { label, url } }),
    ...ending,
  };
}

function kommentsAfter({ db }: Platen, blogIds: number[], after: number) {
  const { id, blogId, name, origin, status } = komments;
  const texts = { source: beginningOf(komments.source), html: beginningOf(komments.html) };
  const isNew = and(inArray(blogId, blogIds), gt(id, after), ne(status, "refused"));
  return db
    .select({ id, blogId, name, origin, status, ...texts, title: posts.title })
    .from(komments)
    .innerJoin(posts, eq(posts.id, komments.postId))
    .where(and(isNew, not(isImported(db, blogIds))))
    .orderBy(asc(id))
    .limit(MAX_COUNTED)
    .all();
}

const beginningOf = (column: SQLiteColumn) => sql<string>`substr(${column}, 1, ${MAX_READ_LENGTH})`;

/** Imported komments keep their old times. */
function isImported(db: Platen["db"], blogIds: number[]): SQL {
  const isPost = and(inArray(importRecords.blogId, blogIds), eq(importRecords.kind, "post"));
  const importedPosts = db.select({ id: importRecords.thingId }).from(importRecords).where(isPost);
  const isOfBlog = eq(imports.blogId, komments.blogId);
  const lastImport = db
    .select({ at: max(imports.startedAt) })
    .from(imports)
    .where(isOfBlog);
  return and(inArray(komments.postId, importedPosts), lt(komments.createdAt, lastImport)) as SQL;
}

function messagesAfter(platen: Platen, blogIds: number[], after: number) {
  const { blogId, id, status } = messages;
  const isNew = and(inArray(blogId, blogIds), gt(id, after), eq(status, "waiting"));
  return findRows(platen, messages, isNew, { orderBy: id, limit: MAX_COUNTED });
}

function shortened(text: string): string {
  return text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH).trimEnd()} …`;
}
