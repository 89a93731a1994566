import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { authorized } from "../access/authentication";
import { reachableBlogs, targetBlog } from "../access/scopes";
import { MAX_LENGTHS } from "../config/request-limits";
import { inSharedTransaction } from "../database/transactions";
import { countFollowers, listFollowers, removeFollower } from "../fediverse/followers-and-dead-inboxes";
import { deletePerson, requirePerson } from "../fediverse/remote-actors";
import { emptyResponse, sendResponse } from "../http/responses/response";
import {
  blogKomments,
  countKomments,
  KOMMENT_ORIGINS,
  KOMMENT_SOURCES,
  KOMMENT_STATUSES,
} from "../komments/komment-list";
import type { Platen } from "../platen";
import { idPath, instant, nullable, oneOf, presenterOf, wholeNumber } from "./json-schemas";
import { listDetail, removalDetail } from "./openapi-and-docs-routes";
import { pageQuery, pageResponse, parsePage } from "./pagination-and-filters";

const followerPath = t.Object({ id: wholeNumber(), follower: wholeNumber() });
const { page, limit } = pageQuery.properties;
const search = t.Optional(t.String({ maxLength: 100, description: "Part of a name or handle" }));
const person = t.String({
  maxLength: MAX_LENGTHS.webAddress,
  description: "Handle like @ada@social.example, or address of the actor",
});
const status = t.Optional(oneOf(KOMMENT_STATUSES));
const origin = t.Optional(oneOf(KOMMENT_SOURCES));

export const readerRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/blogs/:id/followers",
      ({ call, caller, params, query }) => {
        const blog = targetBlog(platen, caller, params.id);
        const page = parsePage(null, query);
        const rows = listFollowers(platen, blog, { ...page, words: query.search });
        const followers = rows.map((row) => presentFollower({ ...row, followedAt: row.since }));
        const total = countFollowers(platen, blog, query.search);
        return sendResponse(call, pageResponse("followers", followers, page, total));
      },
      { params: idPath, query: t.Object({ page, limit, search }), detail: followersDetail },
    )
    .delete(
      "/blogs/:id/followers/:follower",
      async ({ call, caller, params }) => {
        await inSharedTransaction(platen, () => {
          removeFollower(platen, targetBlog(platen, caller, params.id), params.follower);
        });
        return sendResponse(call, emptyResponse());
      },
      { params: followerPath, parse: "none", detail: removeFollowerDetail },
    )
    .delete(
      "/blogs/:id/people",
      async ({ call, caller, params, query }) => {
        await inSharedTransaction(platen, () => {
          const blog = targetBlog(platen, caller, params.id);
          deletePerson(platen, requirePerson(platen, blog, query.person), reachableBlogs(platen, caller));
        });
        return sendResponse(call, emptyResponse());
      },
      { params: idPath, query: t.Object({ person }), parse: "none", detail: forgetDetail },
    )
    .get(
      "/blogs/:id/komments",
      ({ call, caller, params, query }) => {
        const blog = targetBlog(platen, caller, params.id);
        const page = parsePage(null, query);
        const { status, origin: source } = query;
        const statuses = status ? [status] : KOMMENT_STATUSES;
        const total = statuses.reduce((sum, one) => sum + countKomments(platen, blog, one, source), 0);
        const komments = blogKomments(platen, blog, { status, source, ...page });
        const shown = komments.map(({ komment, post }) => presentKomment({ ...komment, postId: post.id }));
        return sendResponse(call, pageResponse("komments", shown, page, total));
      },
      { params: idPath, query: t.Object({ page, limit, status, origin }), detail: kommentsDetail },
    );

const followerShape = t.Object({
  id: Type.Integer(),
  actor: t.String({ description: "Id of the account in the fediverse" }),
  handle: t.String(),
  name: t.String(),
  url: t.String({ description: "The profile" }),
  followed_at: instant(),
});
const presentFollower = presenterOf(followerShape);

/** Omits `address`, because it may be an e-mail address. */
const kommentShape = t.Object({
  id: Type.Integer(),
  post_id: Type.Integer(),
  parent_id: nullable(Type.Integer({ description: "The komment that it replies to" })),
  status: oneOf(KOMMENT_STATUSES),
  name: t.String(),
  html: t.String(),
  answer_html: nullable(t.String({ description: "Your reply" })),
  origin: oneOf(KOMMENT_ORIGINS),
  origin_url: t.String({ description: "The original; empty if it was written here" }),
  author_handle: t.String({ description: "Like @ada@social.example; empty if none" }),
  created_at: instant(),
  edited_at: nullable(instant()),
});
const presentKomment = presenterOf(kommentShape);

const followersDetail = listDetail("Fediverse", "List followers, newest first", "followers", followerShape);
const removeFollowerDetail = removalDetail(
  "Fediverse",
  "Remove a follower",
  "Removed, and their server is notified",
);
const forgetDetail = removalDetail(
  "Fediverse",
  "Delete everything about a person",
  "Deleted: name, key, follow, komments, messages, likes and boosts",
);
const kommentsDetail = listDetail("Komments", "List komments, newest first", "komments", kommentShape);
