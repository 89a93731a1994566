import { desc } from "drizzle-orm";
import { blogById, blogUrl } from "../blogs/blogs";
import { MINUTE } from "../config/units";
import { findRow, findRows } from "../database/rows";
import { deliveries } from "../database/schema";
import type { Channel } from "../deliveries/channel";
import { addDeliveries } from "../deliveries/events-and-debouncing";
import { postForm } from "../deliveries/outgoing-request";
import { ensureReceiver } from "../deliveries/receivers";
import type { Platen } from "../platen";
import { categoryById } from "../posts/storage/categories-and-tags";
import { postRow } from "../posts/storage/stored-posts";
import { hubOf } from "./mention-settings";

const FEEDS = ["feed.xml", "feed.atom", "feed.json"];
const PING_INTERVAL_MS = MINUTE;

export const hubChannel: Channel = {
  name: "hub",
  maxOpen: 4,
  /** A pending ping already covers the change. */
  queue(platen, { id: eventId, blogId, postId }) {
    const blog = blogById(platen, blogId);
    const post = postRow(platen, postId);
    const hub = blog && hubOf(blog);
    if (!blog || !post || !hub || post.type !== "post") return;
    const category = post.categoryId === null ? undefined : categoryById(platen, post.categoryId);
    const folders = ["", ...(category ? [`category/${category.slug}/`] : [])];
    const feeds = folders.flatMap((folder) => FEEDS.map((name) => blogUrl(platen, blog) + folder + name));
    const receiver = ensureReceiver(platen, { channel: "hub", blogId: blog.id, url: hub });
    // One query, because every query reads all stored deliveries of the hub.
    const waiting = findRows(platen, deliveries, { receiverId: receiver.id, state: "pending" }).map(
      ({ target }) => target,
    );
    const changed = feeds.filter((feed) => !waiting.includes(feed));
    addDeliveries(platen, eventId, receiver.id, changed);
  },
  /** W3C WebSub 6 does not define this request. Hubs accept these fields in practice. */
  async send(platen, { receiver, target: feed }, tools) {
    const wait = PING_INTERVAL_MS - (tools.at.getTime() - lastPing(platen, receiver.id, feed));
    if (wait > 0) return { pauseFor: wait };
    const fields = { "hub.mode": "publish", "hub.url": feed, "hub.topic": feed };
    return await postForm(platen, tools, receiver.blogId, receiver.url, fields);
  },
};

function lastPing(platen: Platen, receiverId: number, target: string): number {
  const last = findRow(platen, deliveries, { receiverId, target, state: "delivered" }, desc(deliveries.id));
  return last?.settledAt?.getTime() ?? 0;
}
