import { Type } from "@sinclair/typebox";
import { t } from "elysia";
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
