import { Type } from "@sinclair/typebox";
import { Elysia, type Static, t } from "elysia";
import { authorized, jsonBody } from "../access/authentication";
import { targetBlog } from "../access/scopes";
import { type Blog, blogOfRow } from "../blogs/blogs";
import { inSharedTransaction } from "../database/transactions";
import { type BlogDelivery, listBlogDeliveries } from "../deliveries/delivery-log-and-redelivery";
import { malformedField } from "../errors";
import { actorOfBlog, fediverseSettings, handleOf } from "../fediverse/blog-actors";
import { changeFediverseSettings, startFediverse, turnFediverseOff } from "../fediverse/fediverse-account";
import { fediverseChannel } from "../fediverse/fediverse-channel";
import { countFollowers } from "../fediverse/followers-and-dead-inboxes";
import { newKeyPair } from "../fediverse/signatures";
import { validateBody } from "../http/requests/request-body";
import { jsonResponse, sendResponse } from "../http/responses/response";
import { changeMentionSettings, hasWebmentions, hubOf } from "../mentions/mention-settings";
import { webmentionChannel } from "../mentions/sent-mentions";
import { hubChannel } from "../mentions/websub-hub";
import { NEWSLETTER_MODES } from "../newsletter/issue-scheduling-and-log";
import { newsletterChannel } from "../newsletter/issue-sending";
import { assertRelayWorks, newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
import type { Platen } from "../platen";
import { webhookChannel } from "../webhooks/webhook-channel";
import { idPath, instant, nullable, oneOf, presenterOf } from "./json-schemas";
import { answer, detail, withBody } from "./openapi-and-docs-routes";
import { pageQuery, parsePage } from "./pagination-and-filters";

const reachShape = t.Object({
  newsletter: t.Boolean({ description: "Whether the blog has a newsletter" }),
  newsletter_sends: oneOf(NEWSLETTER_MODES),
  newsletter_subscribers: Type.Integer({ description: "Number of confirmed subscribers" }),
  fediverse: t.Boolean({ description: "Whether people on Mastodon and other servers can follow" }),
  fediverse_handle: nullable(t.String({ description: "Like @blog@example.com; null if off" })),
  fediverse_followers: Type.Integer(),
  fediverse_whole_notes: t.Boolean({
    description: "Posts with a title are sent as notes with their whole text",
  }),
  webmention: t.Boolean({ description: "Whether webmentions are sent and received" }),
  hub: nullable(t.String({ description: "URL of the WebSub hub" })),
});

const reachBody = Type.Object({
  reach: Type.Object({
    newsletter: Type.Optional(Type.Boolean()),
    newsletter_sends: Type.Optional({
      ...oneOf(NEWSLETTER_MODES),
      description: "each: each post; ticked: only posts that the author selects; weekly: a digest",
    }),
    fediverse: Type.Optional(Type.Boolean()),
    fediverse_whole_notes: Type.Optional(Type.Boolean()),
    webmention: Type.Optional(Type.Boolean()),
    hub: Type.Optional(nullable(Type.String({ description: "URL of a WebSub hub; null for none" }))),
  }),
});

const reachDetail = (summary: string) =>
  detail("Reach", summary, { 200: answer("The channels", t.Object({ reach: reachShape })) });

const STATES = ["pending", "sending", "delivered", "failed", "folded", "dropped", "unsure"] as const;

const deliveryShape = t.Object({
  id: Type.Integer(),
  event: t.String({ description: "Like post.published, or the kind of activity" }),
  to: t.String({ description: "Host of the receiver" }),
  state: oneOf(STATES),
  attempts: Type.Integer(),
  status: nullable(Type.Integer({ description: "HTTP or SMTP status of the last response" })),
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

const deliveriesDetail = detail("Reach", "List deliveries of the last 30 days, newest first", {
  200: answer("One page of the list", deliveryList),
});

const CHANNELS = {
  webhook: webhookChannel,
  fediverse: fediverseChannel,
  newsletter: newsletterChannel,
  webmention: webmentionChannel,
  hub: hubChannel,
};
const deliveryQuery = t.Object({
  channel: t.Optional(oneOf(Object.keys(CHANNELS) as (keyof typeof CHANNELS)[])),
  cursor: t.Optional(t.String({ description: "pagination.next of the previous page" })),
  limit: pageQuery.properties.limit,
});

export const reachRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/blogs/:id/reach",
      ({ call, caller, params }) =>
        sendResponse(call, reachAnswer(platen, targetBlog(platen, caller, params.id))),
      { params: idPath, detail: reachDetail("Where a blog's posts go, in addition to its pages and feeds") },
    )
    .get(
      "/blogs/:id/deliveries",
      ({ call, caller, params, query }) => {
        const blog = targetBlog(platen, caller, params.id);
        const { limit } = parsePage(null, { limit: query.limit });
        const before = query.cursor === undefined ? undefined : parseCursor(query.cursor);
        const channel = CHANNELS[query.channel ?? "webhook"];
        const { rows, hasMore } = listBlogDeliveries(platen, blog, { channel, before, limit });
        const next = hasMore ? String(rows.at(-1)?.delivery.id) : null;
        const deliveries = rows.map(presentDelivery);
        return sendResponse(call, jsonResponse(200, { deliveries, pagination: { limit, next } }));
      },
      { params: idPath, query: deliveryQuery, detail: deliveriesDetail },
    )
    .patch(
      "/blogs/:id/reach",
      async ({ call, caller, params, body }) => {
        const { reach } = validateBody(reachBody, body);
        await assertRelayWorks(platen, targetBlog(platen, caller, params.id), reach.newsletter);
        const keys = reach.fediverse ? await newKeyPair() : undefined;
        const blog = await inSharedTransaction(platen, () => {
          const before = targetBlog(platen, caller, params.id);
          setNewsletter(platen, before, { isOn: reach.newsletter, sends: reach.newsletter_sends });
          if (keys) startFediverse(platen, before, keys);
          else if (reach.fediverse === false) turnFediverseOff(platen, before);
          const wholeNotes = reach.fediverse_whole_notes;
          if (wholeNotes !== undefined) changeFediverseSettings(platen, before, { wholeNotes });
          const { webmention, hub } = reach;
          changeMentionSettings(platen, before, { webmention, hub: hub === null ? "" : hub });
          return blogOfRow(platen, { blogId: before.id });
        });
        return sendResponse(call, reachAnswer(platen, blog));
      },
      {
        params: idPath,
        parse: jsonBody,
        detail: withBody(reachDetail("Turn channels on or off"), reachBody),
      },
    );

function reachAnswer(platen: Platen, blog: Blog) {
  const newsletter = newsletterOf(blog);
  const actor = actorOfBlog(platen, blog);
  const reach: Static<typeof reachShape> = {
    newsletter: newsletter !== null,
    newsletter_sends: newsletter?.sends ?? "each",
    newsletter_subscribers: countSubscribers(platen, blog, "confirmed"),
    fediverse: actor !== undefined,
    fediverse_handle: actor ? handleOf(actor) : null,
    fediverse_followers: actor ? countFollowers(platen, blog) : 0,
    fediverse_whole_notes: fediverseSettings(blog)?.wholeNotes === true,
    webmention: hasWebmentions(blog),
    hub: hubOf(blog),
  };
  return jsonResponse(200, { reach });
}

function parseCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw malformedField("cursor", "must be pagination.next of the same list");
  return Number(text);
}

const presentDeliveryFields = presenterOf(deliveryShape);

function presentDelivery({ delivery, event, receiver, last }: BlogDelivery) {
  return presentDeliveryFields({
    ...delivery,
    event: event.name,
    // Only the host of a URL, because webhook URLs may contain secrets.
    to: URL.parse(receiver.url)?.host || receiver.url,
    status: last?.status ?? null,
    failure: last?.failure ?? null,
    occurredAt: event.occurredAt,
  });
}
