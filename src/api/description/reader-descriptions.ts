import { Type } from "@sinclair/typebox";
import { t } from "elysia";
import { KOMMENT_STATUSES } from "../../komments/komment-list";
import { paginationShape } from "../json/list-query";
import { instant, nullable, oneOf } from "../json/shapes";
import { detail, json } from "./route-descriptions";

export const followerShape = t.Object({
  id: Type.Integer(),
  actor: t.String({ description: "Id of the account in the fediverse" }),
  handle: t.String(),
  name: t.String(),
  url: t.String({ description: "The profile" }),
  followed_at: instant(),
});

export const kommentShape = t.Object({
  id: Type.Integer(),
  post_id: Type.Integer(),
  parent_id: nullable(Type.Integer({ description: "The komment that it replies to" })),
  status: oneOf(KOMMENT_STATUSES),
  name: t.String(),
  html: t.String(),
  answer_html: nullable(t.String({ description: "Your reply" })),
  origin: oneOf(["", "fediverse", "webmention", "bluesky"]),
  origin_url: t.String({ description: "The original; empty if it was written here" }),
  author_handle: t.String({ description: "Like @ada@social.example; empty if none" }),
  created_at: instant(),
  edited_at: nullable(instant()),
});

const followerList = t.Object({ followers: t.Array(followerShape), pagination: paginationShape });
const kommentList = t.Object({ komments: t.Array(kommentShape), pagination: paginationShape });

export const followerListDetail = detail("Fediverse", "List followers, newest first", {
  200: { description: "One page of the list", content: json(followerList) } as never,
});
export const removeFollowerDetail = detail("Fediverse", "Remove a follower", {
  204: { description: "Removed, and their server is notified" },
});
export const forgetDetail = detail("Fediverse", "Delete everything about a person", {
  204: { description: "Deleted: name, key, follow, komments, messages, likes and boosts" },
});
export const kommentListDetail = detail("Komments", "List komments, newest first", {
  200: { description: "One page of the list", content: json(kommentList) } as never,
});
