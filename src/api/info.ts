import { Elysia } from "elysia";
import { authorized } from "../access/authorized";
import { reachableBlogs } from "../access/target-blog";
import type { Caller } from "../accounts/keys";
import type { Blog } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import { type Answer, jsonAnswer, keptByClient } from "../http/answers/answer";
import { send } from "../http/answers/sending";
import type { Platen } from "../platen";
import { version } from "../version";
import { infoDetail } from "./route-descriptions";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get("/info", ({ call, caller }) => send(call, infoAnswer(platen, caller)), {
      detail: infoDetail,
    });

function infoAnswer(platen: Platen, caller: Caller): Answer {
  return keptByClient(jsonAnswer(200, presentInfo(platen, caller)));
}

function presentInfo(platen: Platen, caller: Caller) {
  const present = (blog: Blog, position: number) => ({
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    url: blogUrl(platen, blog),
    selected: position === 0,
  });
  return {
    api: { name: "Platen", version: "v1", software_version: version },
    account: { id: caller.account.id, name: caller.account.name, email: caller.account.email },
    blogs: reachableBlogs(platen, caller).map(present),
    key: { name: caller.key.name, scopes: caller.key.scopes },
  };
}
