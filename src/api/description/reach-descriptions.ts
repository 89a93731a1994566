import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { NEWSLETTER_MODES } from "../../newsletter/issues";
import { instant, nullable, oneOf } from "../json/shapes";
import { detail, json } from "./route-descriptions";

export const reachShape = t.Object({
  newsletter: t.Boolean({ description: "Whether the blog has a newsletter" }),
  newsletter_sends: oneOf(NEWSLETTER_MODES),
  newsletter_subscribers: Type.Integer({ description: "Number of confirmed subscribers" }),
  fediverse: t.Boolean({ description: "Whether people on Mastodon and other servers can follow" }),
  fediverse_handle: nullable(t.String({ description: "Like @blog@example.com; null if off" })),
  fediverse_followers: Type.Integer(),
  fediverse_whole_notes: t.Boolean({ description: "Posts with a title go out as notes with all text" }),
  webmention: t.Boolean({ description: "Whether webmentions are sent and received" }),
  hub: nullable(t.String({ description: "URL of the WebSub hub" })),
});

export const reachBody = Type.Object({
  reach: Type.Object({
    newsletter: Type.Optional(Type.Boolean()),
    newsletter_sends: Type.Optional(
      Type.Union(
        NEWSLETTER_MODES.map((mode) => Type.Literal(mode)),
        { description: "each post, only ticked ones, or a weekly digest" },
      ),
    ),
    fediverse: Type.Optional(Type.Boolean()),
    fediverse_whole_notes: Type.Optional(Type.Boolean()),
    webmention: Type.Optional(Type.Boolean()),
    hub: Type.Optional(nullable(Type.String({ description: "URL of a WebSub hub; null for none" }))),
  }),
});

export const reachDetail = detail("Reach", "Where a blog's posts go, in addition to its pages and feeds", {
  200: { description: "The channels", content: json(t.Object({ reach: reachShape })) } as never,
});
export const reachWriteDetail = {
  ...reachDetail,
  summary: "Turn channels on or off",
  requestBody: { required: true, content: json(reachBody) },
};

export const DELIVERY_CHANNELS = ["webhook", "fediverse", "newsletter", "webmention", "hub"] as const;
const STATES = ["pending", "sending", "delivered", "failed", "folded", "dropped", "unsure"] as const;

export const deliveryShape = t.Object({
  id: Type.Integer(),
  event: t.String({ description: "Like post.published, or the kind of activity" }),
  to: t.String({ description: "Host of the receiver" }),
  state: oneOf(STATES),
  attempts: Type.Integer(),
  status: nullable(Type.Integer({ description: "Of the last response" })),
  failure: nullable(t.String()),
  occurred_at: instant(),
  due_at: nullable(instant()),
  settled_at: nullable(instant()),
});

const deliveryList = t.Object({
  deliveries: t.Array(deliveryShape),
  pagination: t.Object({
    limit: Type.Integer(),
    next: nullable(t.String({ description: "Cursor of the next page; null on the last page" })),
  }),
});

export const deliveryListDetail = detail("Reach", "List what went out in 30 days, newest first", {
  200: { description: "One page of the list", content: json(deliveryList) } as never,
});
