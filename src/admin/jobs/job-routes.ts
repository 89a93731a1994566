import { malformed, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import type { Job } from "../../jobs/job";
import { cancelJob, findJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { html } from "../../text/html";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onAccount } from "../layout/admin-door";
import { toastThen } from "../layout/toasts-and-undo";
import { sentForm, type Visit } from "../layout/visit";
import { jobsMain } from "./job-list-page";
import { jobMain, refreshing } from "./job-page";
import { jobHead } from "./job-styles";

/** What takes long: how far it is, and what came of it. */
export const jobRoom = (platen: Platen) =>
  adminDoor(platen, "jobs")
    .get(
      "/admin/jobs",
      onAccount((visit) =>
        adminAnswer(visit, { title: "Jobs", place: "jobs", head: jobHead, main: jobsMain(visit) }),
      ),
    )
    .get("/admin/jobs/:id", onAccount(jobAnswer))
    .post("/admin/jobs/:id", onAccount(cancelled), { parse: "none" });

function jobAnswer(visit: Visit): Promise<HttpResponse> {
  const job = askedJob(visit);
  return adminAnswer(visit, {
    title: job.title,
    place: "jobs",
    head: html`${jobHead}${refreshing(job)}`,
    main: jobMain(visit, job),
    scripts: ["job-progress"],
  });
}

async function cancelled(visit: Visit): Promise<HttpResponse> {
  const form = await sentForm(visit, { do: 10 });
  const { id } = askedJob(visit);
  if (form.get("do") !== "cancel") throw malformed("Choose what is to be done.");
  const state = cancelJob(visit.call.platen, id);
  const says =
    state === "running" ? "It is being cancelled." : state === "cancelled" ? "Cancelled." : "It had ended.";
  return toastThen(visit.call, `/admin/jobs/${id}`, { says });
}

/** The one that the address ends with. What others do is not there, but for admins. @throws Refusal (missing) */
function askedJob({ call, account, blogs }: Visit): Job {
  const [, id = ""] = /\/(\d{1,15})$/.exec(call.url.pathname) ?? [];
  const job = id ? findJob(call.platen, Number(id)) : undefined;
  const isTheirs =
    job && (account.isAdmin || job.accountId === account.id || blogs.some((blog) => blog.id === job.blogId));
  if (!isTheirs) throw notFound("job");
  return job;
}
