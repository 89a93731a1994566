import type { Answer } from "../../http/answers/answer";
import { send } from "../../http/answers/sending";
import { seeOther } from "../../http/forms/see-other";
import type { Call } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/places";
import { visit } from "../layout/visit";
import { dashboardMain, noBlogMain } from "./dashboard-page";

/** Where signing in leads: the blog used last. */
export const dashboard = (platen: Platen) =>
  adminDoor(platen, "dashboard")
    .get("/admin", async ({ call }) => send(call, await startAnswer(call)))
    .get(
      "/admin/blogs/:slug",
      onBlog((visit) =>
        adminAnswer(visit, { title: "Home", place: "dashboard", main: dashboardMain(visit) }),
      ),
    );

async function startAnswer(call: Call): Promise<Answer> {
  const visitor = visit(call);
  if (visitor.blog) return seeOther(blogPath(visitor.blog));
  return adminAnswer(visitor, { title: "Start", main: noBlogMain() });
}
