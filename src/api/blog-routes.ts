import { Elysia } from "elysia";
import { authorized } from "../access/authentication";
import { targetBlog } from "../access/scopes";
import { jsonResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { categoriesWithCounts } from "../posts/storage/topics";
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
      ({ call, caller, params }) =>
        sendCachedRead(call, caller, () => {
          const blog = targetBlog(platen, caller, params.id);
          return jsonResponse(200, { blog: presentBlog(platen, blog) });
        }),
      { params: idPath, detail: blogDetail },
    )
    .get(
      "/categories",
      ({ call, caller, query }) =>
        sendCachedRead(call, caller, async () => {
          const blog = targetBlog(platen, caller, query.blog_id, "blog_id");
          const categories = await categoriesWithCounts(platen, blog);
          return jsonResponse(200, {
            categories: categories.map((one) => presentCategory(platen, blog, one)),
          });
        }),
      { query: blogIdQuery, detail: categoriesDetail },
    );
