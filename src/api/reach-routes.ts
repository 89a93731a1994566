import { Elysia, type Static, t } from "elysia";
import { authorized, jsonBody } from "../access/authentication";
import { targetBlog } from "../access/target-blog";
import type { Blog } from "../blogs/blogs";
import { inSharedTransaction } from "../database/transactions";
import { validateBody } from "../http/requests/json-body";
import { jsonResponse, sendResponse } from "../http/responses/response";
import { newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
import { assertRelayWorks } from "../newsletter/test-mails";
import type { Platen } from "../platen";
import {
  reachBody,
  reachDetail,
  type reachShape,
  reachWriteDetail,
} from "./description/subscriber-descriptions";
import { wholeNumber } from "./json/shapes";

const params = t.Object({ id: wholeNumber() });

/** Channels other than pages and feeds. Each has its own fields. */
export const reachRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/blogs/:id/reach",
      ({ call, caller, params }) =>
        sendResponse(call, reachAnswer(platen, targetBlog(platen, caller, params.id))),
      { params, detail: reachDetail },
    )
    .use(
      new Elysia()
        .use(authorized(platen))
        .use(jsonBody(platen))
        .patch(
          "/blogs/:id/reach",
          async ({ call, caller, params, body }) => {
            const { reach } = validateBody(reachBody, body);
            await assertRelayWorks(platen, targetBlog(platen, caller, params.id), reach.newsletter);
            const blog = await inSharedTransaction(platen, () =>
              setNewsletter(platen, targetBlog(platen, caller, params.id), {
                isOn: reach.newsletter,
                sends: reach.newsletter_sends,
              }),
            );
            return sendResponse(call, reachAnswer(platen, blog));
          },
          { params, detail: reachWriteDetail },
        ),
    );

function reachAnswer(platen: Platen, blog: Blog) {
  const newsletter = newsletterOf(blog);
  const reach: Static<typeof reachShape> = {
    newsletter: newsletter !== null,
    newsletter_sends: newsletter?.sends ?? "each",
    newsletter_subscribers: countSubscribers(platen, blog, "confirmed"),
  };
  return jsonResponse(200, { reach });
}
