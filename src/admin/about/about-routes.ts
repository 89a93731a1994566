import { malformed } from "../../errors";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { startJobOnce } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { checkJob, sizesJob } from "../../upkeep/upkeep-jobs";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, forAdmins } from "../layout/admin-router";
import { readAdminForm, type Visit } from "../layout/visit";
import { aboutMain } from "./about-page";
import { aboutHead } from "./about-styles";

/** Functions that start a job, by the button's value. */
const JOBS = { check: checkJob, sizes: sizesJob };

export const aboutRoutes = (platen: Platen) =>
  adminRouter(platen, "about")
    .get(
      "/admin/about",
      forAdmins((visit) =>
        adminResponse(visit, { title: "About", place: "about", head: aboutHead, main: aboutMain(visit) }),
      ),
    )
    .post("/admin/about", forAdmins(startServerJob), { parse: "none" });

async function startServerJob(visit: Visit): Promise<HttpResponse> {
  const { call, account } = visit;
  const action = (await readAdminForm(visit, { do: 10 })).get("do") ?? "";
  if (!Object.hasOwn(JOBS, action)) throw malformed("Choose an action.");
  const id = startJobOnce(call.platen, JOBS[action as keyof typeof JOBS], { blog: null, account, given: {} });
  return seeOther(`/admin/jobs/${id}`);
}
