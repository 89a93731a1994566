import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { NEWSLETTER_MODES } from "../../newsletter/issues";
import { SUBSCRIBER_STATES } from "../../newsletter/subscribers";
import { paginationShape } from "../json/list-query";
import { instant, nullable, oneOf } from "../json/shapes";
import { detail, json } from "./route-descriptions";

export const subscriberShape = t.Object({
  id: Type.Integer(),
  address: nullable(t.String({ description: "null after they left: only a hash is kept" })),
  state: oneOf(SUBSCRIBER_STATES),
  language: t.String({ description: "A tag like en or pt-BR" }),
  created_at: instant(),
  confirmed_at: nullable(instant()),
  left_at: nullable(instant()),
});

const language = Type.Optional(Type.String({ description: "A tag like en or pt-BR" }));

export const subscriberBody = Type.Object({
  subscriber: Type.Object({ address: Type.String({ description: "E-mail address" }), language }),
});

export const subscriberChangeBody = Type.Object({
  subscriber: Type.Object({
    state: Type.Optional(oneOf(["confirmed", "bounced", "left"])),
    language,
  }),
});

const list = t.Object({ subscribers: t.Array(subscriberShape), pagination: paginationShape });

export const subscriberListDetail = detail("Newsletter", "List subscribers, newest first", {
  200: { description: "One page of the list", content: json(list) } as never,
});
export const subscriberWriteDetail = (summary: string, status: 200 | 201) => ({
  ...detail("Newsletter", summary, {
    [status]: {
      description: "The subscriber",
      content: json(t.Object({ subscriber: subscriberShape })),
    } as never,
  }),
  requestBody: { required: true, content: json(status === 201 ? subscriberBody : subscriberChangeBody) },
});
export const removeSubscriberDetail = detail("Newsletter", "Delete a subscriber permanently", {
  204: { description: "Deleted" },
});

const newsletterShape = {
  newsletter: t.Boolean({ description: "Whether the blog has a newsletter" }),
  newsletter_sends: oneOf(NEWSLETTER_MODES),
};

export const reachShape = t.Object({
  ...newsletterShape,
  newsletter_subscribers: Type.Integer({ description: "Number of confirmed subscribers" }),
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
  }),
});

export const reachDetail = detail(
  "Newsletter",
  "Where a blog's posts go, in addition to its pages and feeds",
  {
    200: { description: "The channels", content: json(t.Object({ reach: reachShape })) } as never,
  },
);
export const reachWriteDetail = {
  ...reachDetail,
  summary: "Turn channels on or off",
  requestBody: { required: true, content: json(reachBody) },
};
