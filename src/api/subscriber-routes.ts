import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { authorized, jsonBody } from "../access/authentication";
import { once, repeatableWrite } from "../access/idempotency";
import { targetBlog } from "../access/scopes";
import { MAX_LENGTHS } from "../config/request-limits";
import { inSharedTransaction } from "../database/transactions";
import { assertRules, conflict } from "../errors";
import { validateBody } from "../http/requests/request-body";
import { emptyResponse, jsonResponse, sendResponse } from "../http/responses/response";
import {
  addSubscriber,
  listSubscribers,
  removeSubscriber,
  requireMailAddress,
  requireSubscriber,
  SUBSCRIBER_STATES,
  type Subscriber,
  setSubscriberState,
  subscriberWithAddress,
  updateSubscriber,
} from "../newsletter/subscribers";
import type { Platen } from "../platen";
import { isLanguage, LANGUAGE_ERROR } from "../text/language-tags";
import { idPath, instant, nullable, oneOf, presenterOf, wholeNumber } from "./json-schemas";
import { answer, detail, listDetail, removalDetail, withBody } from "./openapi-and-docs-routes";
import { pageQuery, pageResponse, parsePage } from "./pagination-and-filters";

const subscriberPath = t.Object({ id: wholeNumber(), subscriber: wholeNumber() });

const listQuery = t.Object({
  page: pageQuery.properties.page,
  limit: pageQuery.properties.limit,
  state: t.Optional(oneOf(SUBSCRIBER_STATES)),
  search: t.Optional(t.String({ maxLength: MAX_LENGTHS.email, description: "Part of an address" })),
});

export const subscriberRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/blogs/:id/subscribers",
      ({ call, caller, params, query }) => {
        const blog = targetBlog(platen, caller, params.id);
        const { state, search } = query;
        const page = parsePage(null, query);
        const { rows, total } = listSubscribers(platen, blog, { state, search, ...page });
        return sendResponse(call, pageResponse("subscribers", rows.map(presentSubscriber), page, total));
      },
      { params: idPath, query: listQuery, detail: subscribersDetail },
    )
    .post(
      "/blogs/:id/subscribers",
      async ({ call, caller, params, body }) => {
        const { subscriber } = validateBody(subscriberBody, body);
        const address = requireMailAddress(subscriber.address);
        const language = checkedLanguage(subscriber.language);
        const outcome = await inSharedTransaction(platen, () =>
          once(repeatableWrite(call, caller, body), () => {
            const blog = targetBlog(platen, caller, params.id);
            const added = addSubscriber(platen, blog, address, { language });
            if (added === "left")
              throw conflict("This reader has unsubscribed. Only the reader can subscribe again.");
            const row = subscriberWithAddress(platen, blog, address) as Subscriber;
            return jsonResponse(added === "added" ? 201 : 200, { subscriber: presentSubscriber(row) });
          }),
        );
        return sendResponse(call, outcome);
      },
      { params: idPath, parse: jsonBody, detail: addDetail },
    )
    .patch(
      "/blogs/:id/subscribers/:subscriber",
      async ({ call, caller, params, body }) => {
        const { subscriber: changes } = validateBody(subscriberChangeBody, body);
        const language = checkedLanguage(changes.language);
        const changed = await inSharedTransaction(platen, () => {
          const blog = targetBlog(platen, caller, params.id);
          const before = requireSubscriber(platen, blog, params.subscriber);
          if (changes.state && changes.state !== before.state)
            setSubscriberState(platen, before, changes.state);
          if (language) updateSubscriber(platen, before.id, { language });
          return requireSubscriber(platen, blog, before.id);
        });
        return sendResponse(call, jsonResponse(200, { subscriber: presentSubscriber(changed) }));
      },
      { params: subscriberPath, parse: jsonBody, detail: changeDetail },
    )
    .delete(
      "/blogs/:id/subscribers/:subscriber",
      async ({ call, caller, params }) => {
        await inSharedTransaction(platen, () => {
          const blog = targetBlog(platen, caller, params.id);
          removeSubscriber(platen, requireSubscriber(platen, blog, params.subscriber));
        });
        return sendResponse(call, emptyResponse());
      },
      { params: subscriberPath, parse: "none", detail: removeDetail },
    );

function checkedLanguage(tag: string | undefined): string | undefined {
  assertRules({ language: tag !== undefined && !isLanguage(tag) && LANGUAGE_ERROR });
  return tag;
}

const subscriberShape = t.Object({
  id: Type.Integer(),
  address: nullable(t.String({ description: "null after unsubscribing: only a hash is kept" })),
  state: oneOf(SUBSCRIBER_STATES),
  language: t.String({ description: "A tag like en or pt-BR" }),
  created_at: instant(),
  confirmed_at: nullable(instant()),
  left_at: nullable(instant()),
});
const presentSubscriber = presenterOf(subscriberShape);

const language = Type.Optional(Type.String({ description: "A tag like en or pt-BR" }));

const subscriberBody = Type.Object({
  subscriber: Type.Object({ address: Type.String({ description: "E-mail address" }), language }),
});

const subscriberChangeBody = Type.Object({
  subscriber: Type.Object({ state: Type.Optional(oneOf(["confirmed", "bounced", "left"])), language }),
});

const listSummary = "List subscribers, newest first";
const subscribersDetail = listDetail("Newsletter", listSummary, "subscribers", subscriberShape);
const oneSubscriber = answer("The subscriber", t.Object({ subscriber: subscriberShape }));
const addDetail = withBody(
  detail("Newsletter", "Add a subscriber who agreed elsewhere", { 201: oneSubscriber }),
  subscriberBody,
);
const changeDetail = withBody(
  detail("Newsletter", "Change a subscriber's state, for example after a bounce", { 200: oneSubscriber }),
  subscriberChangeBody,
);
const removeDetail = removalDetail("Newsletter", "Delete a subscriber permanently");
