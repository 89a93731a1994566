import { malformed } from "../../errors";
import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import type { Platen } from "../../platen";
import { chartHead } from "../charts/chart-styles";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm, requireVisit } from "../layout/visit";
import { dashboardMain, noBlogMain } from "./dashboard-page";
import { hideFirstSteps } from "./first-steps";

export const dashboardRoutes = (platen: Platen) =>
  adminRouter(platen, "dashboard")
    .get("/admin", async ({ call }) => sendResponse(call, await startAnswer(call)))
    .get(
      "/admin/blogs/:slug",
      onBlog(async (visit) =>
        adminResponse(visit, {
          title: "Home",
          place: "dashboard",
          head: chartHead,
          main: await dashboardMain(visit),
        }),
      ),
    )
    .post("/admin/blogs/:slug", onBlog(changeDashboard), { parse: "none" });

async function changeDashboard(visit: BlogVisit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, { do: 10 });
  if (form.get("do") !== "put-away") throw malformed("Choose an action.");
  hideFirstSteps(visit.call.platen, visit.blog);
  return redirectWithToast(visit.call, blogPath(visit.blog), { says: "List hidden." });
}

async function startAnswer(call: Call): Promise<HttpResponse> {
  const visitor = requireVisit(call);
  if (visitor.blog) return seeOther(blogPath(visitor.blog));
  return adminResponse(visitor, { title: "Start", main: noBlogMain() });
}
