import { malformed } from "../../errors";
import type { Call } from "../../http/requests/call";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import type { Platen } from "../../platen";
import { chartHead } from "../charts/chart-styles";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm, visit } from "../layout/visit";
import { dashboardMain, noBlogMain } from "./dashboard-page";
import { hideFirstSteps } from "./first-steps";

export const dashboard = (platen: Platen) =>
  adminDoor(platen, "dashboard")
    .get("/admin", async ({ call }) => sendResponse(call, await startAnswer(call)))
    .get(
      "/admin/blogs/:slug",
      onBlog(async (visit) =>
        adminAnswer(visit, {
          title: "Home",
          place: "dashboard",
          head: chartHead,
          main: await dashboardMain(visit),
        }),
      ),
    )
    .post("/admin/blogs/:slug", onBlog(changeDashboard), { parse: "none" });

async function changeDashboard(visit: BlogVisit): Promise<HttpResponse> {
  const form = await sentForm(visit, { do: 10 });
  if (form.get("do") !== "put-away") throw malformed("Choose an action.");
  hideFirstSteps(visit.call.platen, visit.blog);
  return toastThen(visit.call, blogPath(visit.blog), { says: "List hidden." });
}

async function startAnswer(call: Call): Promise<HttpResponse> {
  const visitor = visit(call);
  if (visitor.blog) return seeOther(blogPath(visitor.blog));
  return adminAnswer(visitor, { title: "Start", main: noBlogMain() });
}
