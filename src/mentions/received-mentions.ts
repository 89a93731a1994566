import { and, like } from "drizzle-orm";
import { type Blog, blogById } from "../blogs/blogs";
import { MINUTE, SECOND } from "../config/units";
import { countRows, hasRow, hasValues } from "../database/rows";
import { deliveries, komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Channel } from "../deliveries/channel";
import { addDeliveries, recordEvent } from "../deliveries/events-and-debouncing";
import { fetchPage } from "../deliveries/outgoing-request";
import { ensureReceiver } from "../deliveries/receivers";
import { busy, malformedField, Refusal } from "../errors";
import { isHostBlocked } from "../komments/blocked-words-and-hosts";
import { takesKomments } from "../komments/komment-rules-and-events";
import { deleteReaction, storeReaction } from "../komments/reactions";
import { deleteRemoteKomment, renderRemoteHtml, storeRemoteKomment } from "../komments/remote-komments";
import { firstBytes } from "../outgoing/http-client";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { livePost, postAtPage } from "../posts/reading/finding-posts";
import { parseWebUrl } from "../text/web-urls";
import { workerQueues } from "../worker-queue";
import type { Mention, readMention } from "./mention-and-endpoint-parsing";
import { MAX_PAGE_BYTES, MAX_URL_LENGTH } from "./mention-and-endpoint-parsing";

export const MENTION_LIMITS = {
  /** Per linking site. */
  site: { most: 10, within: MINUTE },
  /** Per IP address of the sender. */
  client: { most: 60, within: MINUTE },
};
/**
 * Each blog's senders are divided among receivers by network, so that a sender of many or slow sites delays
 * only the senders of its receiver.
 */
const RECEIVERS = 16;
/** Pending checks of a receiver. */
const MAX_QUEUED = 100;
const READ_TIMEOUT_MS = 2 * SECOND;
const MAX_TEXT_LENGTH = 2000;
const GONE = [404, 410];

/**
 * Queues the check of a webmention (W3C Webmention 3.2.1), and fetches nothing.
 * @param sent.network of the sender; "" if unknown
 */
export function receiveMention(
  platen: Platen,
  blog: Blog,
  sent: { source: string; target: string; network: string },
): void {
  const source = parseUrl("source", sent.source);
  const target = parseUrl("target", sent.target);
  if (source.href === target.href) throw malformedField("source", "must differ from target");
  if (isHostBlocked(platen, blog, source.host)) return;
  const post = postAtPage(platen, blog, target);
  if (!post || !takesKomments(post, platen.now()))
    throw malformedField("target", "must be a post of this blog that takes komments");
  inTransaction(platen, () => {
    const shard = Number(Bun.hash(sent.network) % BigInt(RECEIVERS));
    const receiver = { channel: "mention-check", blogId: blog.id };
    const { id } = ensureReceiver(platen, { ...receiver, url: `webmention-checks-${shard + 1}` });
    const link = `${source.href} ${target.href}`;
    const pending = { receiverId: id, state: "pending" } as const;
    if (hasRow(platen, deliveries, { ...pending, target: link, attempts: 0 })) return;
    if (countRows(platen, deliveries, pending) >= MAX_QUEUED)
      throw busy("Too many webmentions are waiting. Try again later.", 60);
    const event = { ...receiver, postId: post.id, name: "webmention.received", isQueued: true };
    addDeliveries(platen, recordEvent(platen, event).id, id, [link]);
  });
}

function parseUrl(field: "source" | "target", text: string): URL {
  const url = parseWebUrl(text, { most: MAX_URL_LENGTH });
  if (!url) throw malformedField(field, "must be an http or https URL");
  return url;
}

export const mentionCheckChannel: Channel = {
  name: "mention-check",
  maxOpen: 4,
  /** Stores the source's mention, or deletes it if the link is gone (W3C Webmention 3.2.2). */
  async send(platen, { target: link, event, receiver }, tools) {
    const [source = "", target = ""] = link.split(" ");
    const request = { url: source, headers: { accept: "text/html" } };
    const page = await fetchPage(platen, tools, receiver.blogId, request);
    if (page === null || !("statusCode" in page)) return page;
    const blog = blogById(platen, receiver.blogId as number);
    const post = livePost(platen, event.postId as number);
    const isHtml = /html/i.test(page.headers["content-type"] ?? "");
    const status = page.statusCode;
    if (status !== 200 || !isHtml || !blog || !post) page.close();
    if (!blog || !post) return { status, failure: "the post is gone", end: "dropped" };
    if (status !== 200 && !GONE.includes(status)) return { status };
    const html =
      status === 200 && isHtml ? new TextDecoder().decode(await firstBytes(page, MAX_PAGE_BYTES)) : "";
    const mention = await readInWorker(html, page.url, source, target);
    const stored = mention && (await prepareMention(mention, new URL(source).host));
    inTransaction(platen, () => {
      if (stored) storeMention(platen, post, link, source, stored);
      else {
        deleteRemoteKomment(platen, blog.id, link);
        deleteReaction(platen, { uri: link, remoteActorId: null });
      }
    });
    if (stored) return { status };
    return status === 200
      ? { status, answer: "The page has no link to the post." }
      : { status, end: "dropped" };
  },
};

/** @throws Refusal (busy), so that the check is repeated */
async function readInWorker(html: string, url: string, source: string, target: string) {
  if (html === "") return null;
  const cost = { within: READ_TIMEOUT_MS, characters: html.length, source: new URL(source).host };
  return await workerQueues.remote
    .run<typeof readMention>("readMention", cost, html, url, target)
    .catch((error) => {
      if (error instanceof Refusal) throw error;
      return null;
    });
}

type Stored = Mention & { rendered: { source: string; html: string } };

async function prepareMention(mention: Mention, host: string): Promise<Stored | null> {
  const { text, url } = mention;
  const words = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)} …` : text;
  const paragraphs = words.split(/\n{2,}/).map((one) => `<p>${Bun.escapeHTML(one.trim())}</p>`);
  const html = words === "" ? `<p>${Bun.escapeHTML(url)}</p>` : paragraphs.join("");
  const rendered = await renderRemoteHtml(html, host);
  return rendered && { ...mention, rendered };
}

function storeMention(platen: Platen, post: Post, id: string, source: string, mention: Stored) {
  const { kind, author, url, rendered } = mention;
  const { host, origin } = new URL(source);
  const name = author.name || host;
  if (kind === "like" || kind === "repost")
    return storeReaction(platen, post, { kind: kind === "like" ? "like" : "boost", uri: id, name, url });
  const komment = {
    ...{ originUri: id, originUrl: url, name, handle: host, url: author.url || origin },
    origin: "webmention" as const,
    isModerated: !isKnownHost(platen, post.blog, source),
  };
  storeRemoteKomment(platen, post, komment, rendered);
}

/** True if a komment from this site is shown already. Komments from other sites wait for approval. */
function isKnownHost(platen: Platen, { id: blogId }: Blog, source: string): boolean {
  const isApproved = hasValues(komments, { blogId, origin: "webmention", status: "shown" });
  const isFromSite = like(komments.originUri, `${new URL(source).origin}/%`);
  return hasRow(platen, komments, and(isApproved, isFromSite));
}
