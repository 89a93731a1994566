import { malformed, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { Job } from "../../jobs/job";
import { cancelJob, findJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onAccount } from "../layout/admin-router";
import { redirectWithToast } from "../layout/toasts";
import { readAdminForm, type Visit } from "../layout/visit";
import { jobMain, jobsMain, refreshing } from "./job-page";
import { jobHead } from "./job-styles";

export const jobRoutes = (platen: Platen) =>
  adminRouter(platen, "jobs")
    .get(
      "/admin/jobs",
      onAccount((visit) =>
        adminResponse(visit, { title: "Jobs", place: "jobs", head: jobHead, main: jobsMain(visit) }),
      ),
    )
    .get("/admin/jobs/:id", onAccount(jobAnswer))
    .post("/admin/jobs/:id", onAccount(requestCancel), { parse: "none" });

function jobAnswer(visit: Visit): Promise<HttpResponse> {
  const job = jobInAddress(visit);
  return adminResponse(visit, {
    title: job.title,
    place: "jobs",
    head: html`${jobHead}${refreshing(job)}`,
    main: jobMain(visit, job),
    scripts: ["job-progress"],
  });
}

async function requestCancel(visit: Visit): Promise<HttpResponse> {
  const form = await readAdminForm(visit, { do: 10 });
  const { id } = jobInAddress(visit);
  if (form.get("do") !== "cancel") throw malformed("Choose an action.");
  const state = cancelJob(visit.call.platen, id);
  const says =
    state === "running"
      ? "Cancelling the job."
      : state === "cancelled"
        ? "Job cancelled."
        : "The job had already ended.";
  return redirectWithToast(visit.call, `/admin/jobs/${id}`, { says });
}

/** The job named in the path. @throws Refusal (missing) if this account may not see it */
function jobInAddress({ call, account, blogs }: Visit): Job {
  const [, id = ""] = /\/(\d{1,15})$/.exec(call.url.pathname) ?? [];
  const job = id ? findJob(call.platen, Number(id)) : undefined;
  const isTheirs =
    job && (account.isAdmin || job.accountId === account.id || blogs.some((blog) => blog.id === job.blogId));
  if (!isTheirs) throw notFound("job");
  return job;
}
