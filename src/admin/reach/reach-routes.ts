import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import type { BlogVisit } from "../layout/visit";
import { reachMain } from "./reach-page";

export const reachRoutes = (platen: Platen) =>
  adminRouter(platen, "reach").get("/admin/blogs/:slug/reach", onBlog(reachAnswer));

async function reachAnswer(visit: BlogVisit): Promise<HttpResponse> {
  return await adminResponse(visit, { title: "Reach", place: "reach", main: await reachMain(visit) });
}
