import type { Platen } from "../../platen";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { MAX_SEARCH_LENGTH } from "../layout/search-dialog";
import { searchMain } from "./search-page";

export const searchRoutes = (platen: Platen) =>
  adminRouter(platen, "search").get(
    "/admin/blogs/:slug/search",
    onBlog(async (visit) => {
      const typed = visit.call.url.searchParams.get("search") ?? "";
      const main = await searchMain(visit, typed.trim().slice(0, MAX_SEARCH_LENGTH));
      return adminResponse(visit, { title: "Search", main });
    }),
  );
