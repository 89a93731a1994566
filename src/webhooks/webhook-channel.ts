import { type Blog, blogById } from "../blogs/blogs";
import { SECOND } from "../config/units";
import type { Channel, Event } from "../deliveries/channel";
import type { Attempt, BlogDelivery } from "../deliveries/delivery-log-and-redelivery";
import { outcomeOfRequest, sendForBlog } from "../deliveries/outgoing-request";
import { signaturesOf } from "./webhook-signatures";

export const webhookChannel: Channel = {
  name: "webhook",
  maxOpen: 16,
  disablesReceivers: true,
  async send(platen, { event, receiver }, { at, outgoing, stop }) {
    const blog = blogById(platen, receiver.blogId as number) as Blog;
    const signed = `${messageIdOf(event, receiver.id)}.${timestampOf(at)}.${event.payload}`;
    const signature = signaturesOf(signed, blog, at);
    const sending = sendForBlog(platen, outgoing, blog.id, {
      method: "POST",
      url: receiver.url,
      headers: requestHeaders({ event, receiver }, { at, signature }),
      body: event.payload,
      within: platen.config.webhookTimeout,
      stop,
    });
    const outcome = await outcomeOfRequest(sending, at);
    return outcome && { ...outcome, signature };
  },
};

/** Names that begin with `webhook-` follow Standard Webhooks. */
export function requestHeaders(
  { event, receiver }: Pick<BlogDelivery, "event" | "receiver">,
  { at, signature }: Pick<Attempt, "at" | "signature">,
): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Platen-Webhooks/1.0",
    "webhook-id": messageIdOf(event, receiver.id),
    "webhook-timestamp": String(timestampOf(at)),
    "webhook-signature": signature ?? "(not kept)",
    "x-platen-event": event.name,
  };
}

/**
 * Every attempt uses the same id, so that receivers recognize duplicates. Contains the time, so that ids of
 * two instances differ.
 */
function messageIdOf({ id, occurredAt }: Event, receiverId: number): string {
  return `msg_${id}_${receiverId}_${occurredAt.getTime().toString(36)}`;
}

function timestampOf(at: Date): number {
  return Math.floor(at.getTime() / SECOND);
}
