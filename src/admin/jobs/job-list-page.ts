import type { Job } from "../../jobs/job";
import { listJobs } from "../../jobs/jobs";
import { type Html, html } from "../../text/html";
import { pageLinks, parentLink } from "../layout/list-controls";
import type { Visit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";
import { jobState } from "./job-page";

const JOBS_PER_PAGE = 30;

export function jobsMain({ call, account, blog, blogs }: Visit): Html {
  const page = Math.max(1, Math.min(1000, Math.floor(Number(call.url.searchParams.get("page"))) || 1));
  const reach = account.isAdmin ? undefined : { account, blogs };
  const { jobs, total } = listJobs(call.platen, { reach, page, limit: JOBS_PER_PAGE });
  const times = timesFor(blog ?? { timeZone: "UTC" }, call.platen.now());
  return html`${account.isAdmin && parentLink("/admin/about", "About")}
<div class="page-head"><h1>Jobs</h1></div>
<p class="lead">Imports, exports, checks and other long tasks run in the background. Reports are kept for 90 days.</p>
${jobs.length === 0 && nothingYet()}
${jobs.length > 0 && html`<ul class="rows jobs">${jobs.map((job) => jobRow(job, times))}</ul>`}
${pageLinks(page, Math.ceil(total / JOBS_PER_PAGE), (other) => `/admin/jobs?page=${other}`)}`;
}

function jobRow(job: Job, times: Times): Html {
  const { id, title, createdAt, done, total, doing, report } = job;
  const far = job.state === "running" && total > 0 ? `${Math.floor((100 * done) / total)} %` : "";
  return html`<li><a class="name" href="/admin/jobs/${id}">${title}</a>
<p class="facts">${jobState(job)}<span>${times.near(createdAt)}</span>${far && html`<span>${far}</span>`}<span>${report?.says ?? doing}</span></p></li>
`;
}

function nothingYet(): Html {
  return html`<div class="empty"><h2>No jobs yet</h2>
<p>Imports, exports and checks are listed here.</p></div>`;
}
