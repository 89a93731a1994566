import { Elysia } from "elysia";
import { authorized } from "../access/authentication";
import { targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/keys";
import { jsonResponse, type TextResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { categoriesWithCounts } from "../posts/topics/category-list";
import { sendCachedRead } from "./cached-reads";
import { blogDetail, categoriesDetail, infoDetail } from "./description/route-descriptions";
import { presentBlog, presentCategory, presentInfo } from "./json/blog-json";
import { blogIdQuery } from "./json/list-query";
import { idPath } from "./json/shapes";

export const blogRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/info",
      ({ call, caller }) =>
        sendCachedRead(call, caller, () => jsonResponse(200, presentInfo(platen, caller))),
      { detail: infoDetail },
    )
    .get(
      "/blogs/:id",
      ({ call, caller, params }) => sendCachedRead(call, caller, () => blogAnswer(platen, caller, params.id)),
      { params: idPath, detail: blogDetail },
    )
    .get(
      "/categories",
      ({ call, caller, query }) =>
        sendCachedRead(call, caller, () => categoriesAnswer(platen, caller, query.blog_id)),
      { query: blogIdQuery, detail: categoriesDetail },
    );

function blogAnswer(platen: Platen, caller: Caller, id: number): TextResponse {
  return jsonResponse(200, { blog: presentBlog(platen, targetBlog(platen, caller, id)) });
}

async function categoriesAnswer(platen: Platen, caller: Caller, blogId?: number): Promise<TextResponse> {
  const blog = targetBlog(platen, caller, blogId, "blog_id");
  const categories = await categoriesWithCounts(platen, blog);
  return jsonResponse(200, {
    categories: categories.map((category) => presentCategory(platen, blog, category)),
  });
}
