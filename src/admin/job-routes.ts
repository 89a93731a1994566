import { notFound } from "../errors";
import type { Job, JobReport, JobState, ReportLine } from "../jobs/jobs";
import { cancelJob, findJob, listJobs } from "../jobs/jobs";
import { type Html, html } from "../text/html";
import { counted, grouped } from "../text/numbers";
import { jobHead } from "./layout/admin-styles";
import { pageLinks, pageNumber, parentLink, postForm } from "./layout/page-controls";
import { type AdminPage, accountRoutes, withActions } from "./layout/routing";
import type { AdminForm, Visit } from "./layout/visit";

export const jobRoutes = accountRoutes({
  "GET /jobs": jobsPage,
  "GET /jobs/:id": jobPage,
  "POST /jobs/:id": withActions({ cancel: requestCancel }),
});

function requestCancel(visit: Visit, _form: AdminForm, id: number) {
  requireJob(visit, id);
  const state = cancelJob(visit.platen, id);
  const messages: Partial<Record<JobState, string>> = {
    running: "Cancelling the job.",
    cancelled: "Job cancelled.",
  };
  return messages[state] ?? "The job had already ended.";
}

function requireJob({ platen, account, blogs }: Visit, id: number): Job {
  const job = findJob(platen, id);
  const isTheirs =
    job && (account.isAdmin || job.accountId === account.id || blogs.some((blog) => blog.id === job.blogId));
  if (!isTheirs) throw notFound("job");
  return job;
}

const REFRESH_SECONDS = 3;

function jobPage(visit: Visit, id: number): AdminPage {
  const { blogs, times } = visit;
  const job = requireJob(visit, id);
  const ofBlog = blogs.find(({ id }) => id === job.blogId);
  const main = html`${parentLink("/admin/jobs", "Jobs")}
<div class="page-head"><h1>${job.title}</h1></div>
<div id="job"${isUnderWay(job) && html` data-under-way`}>
<p class="about">${jobState(job)}
${ofBlog && html`<span>${ofBlog.title}</span>`}
<span>${job.begunAt ? html`started ${times.near(job.begunAt)}` : html`queued ${times.near(job.createdAt)}`}</span>
${job.endedAt && html`<span>ended ${times.near(job.endedAt)}</span>`}</p>
${isUnderWay(job) && jobProgress(job)}
${job.report && jobReport(job.report)}
${
  isUnderWay(job) &&
  !job.isCancelAsked &&
  html`${postForm(visit, "actions", `/admin/jobs/${id}`)}
<button class="quiet" name="do" value="cancel">Cancel</button>
</form>`
}
</div>`;
  const refresh = html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`;
  const head = html`${jobHead}${isUnderWay(job) && refresh}`;
  return { title: job.title, place: "jobs", head, main, scripts: ["job-progress"] };
}

function jobProgress({ state, done, total, doing }: Job): Html {
  const waits = "Starts when earlier jobs are done.";
  const words = state === "queued" ? waits : doing || "Started.";
  return html`<div class="progress">
<progress aria-label="Progress"${total > 0 && html` max="${total}" value="${done}"`}>${total > 0 && `${Math.floor((100 * done) / total)} %`}</progress>
<p class="hint">${words}</p>
</div>`;
}

const WEIGHTS = { error: "Error", warning: "Warning", note: "Note" } as const;

function jobReport({ message, lines = [], leftOff = 0, links = [] }: JobReport): Html {
  return html`<p class="lead">${message}</p>
${links.length > 0 && html`<p class="actions">${links.map(({ path, words }, at) => html`<a class="button${at > 0 && " quiet"}" href="${path}">${words}</a>`)}</p>`}
${
  lines.length > 0 &&
  html`<ul class="report">
${lines.map((line) => html`<li class="${line.weight}">${reportLine(line)}</li>`)}
</ul>`
}
${leftOff > 0 && html`<p class="hint">${counted(leftOff, "more line")} left out.</p>`}`;
}

const MAX_OPEN_LINES = 5;

function reportLine({ weight, text, each, total = 0 }: ReportLine): Html {
  const message = html`<strong>${WEIGHTS[weight]}</strong> <span>${text}${each && `: ${grouped(total)}`}</span>`;
  if (!each) return message;
  return html`<details${total <= MAX_OPEN_LINES && html` open`}><summary>${message}</summary>
<ul>${each.map((one) => html`<li>${one}</li>`)}</ul>
${total > each.length && html`<p class="hint">And ${grouped(total - each.length)} more.</p>`}</details>`;
}

const JOB_STATES: Record<JobState, [words: string, mark: string]> = {
  queued: ["Queued", "scheduled"],
  running: ["Running", "scheduled"],
  done: ["Done", "live"],
  failed: ["Failed", "failed"],
  cancelled: ["Cancelled", ""],
};

function jobState({ state, isCancelAsked }: Job): Html {
  const [words, mark] = JOB_STATES[state];
  const isCancelling = state === "running" && isCancelAsked;
  return html`<span class="state ${mark}">${isCancelling ? "Cancelling" : words}</span>`;
}

function isUnderWay({ state }: Job): boolean {
  return state === "queued" || state === "running";
}

const JOBS_PER_PAGE = 30;

function jobsPage(visit: Visit): AdminPage {
  const { call, platen, account, blogs } = visit;
  const page = pageNumber(call.url.searchParams);
  const visibleTo = account.isAdmin ? undefined : { account, blogs };
  const { jobs, total } = listJobs(platen, { visibleTo, page, limit: JOBS_PER_PAGE });
  const main = html`${account.isAdmin && parentLink("/admin/about", "About")}
<div class="page-head"><h1>Jobs</h1></div>
<p class="lead">Imports, exports, checks and other long tasks run in the background. Reports are kept for 90 days.</p>
${
  jobs.length === 0
    ? html`<div class="empty"><h2>No jobs yet</h2><p>Imports, exports and checks are listed here.</p></div>`
    : html`<ul class="rows jobs">${jobs.map((job) => jobRow(visit, job))}</ul>`
}
${pageLinks(call, total, JOBS_PER_PAGE)}`;
  return { title: "Jobs", place: "jobs", head: jobHead, main };
}

function jobRow({ times }: Visit, job: Job): Html {
  const { id, title, createdAt, done, total, doing, report } = job;
  const percent = job.state === "running" && total > 0 ? `${Math.floor((100 * done) / total)} %` : "";
  return html`<li><a class="name" href="/admin/jobs/${id}">${title}</a>
<p class="facts">${jobState(job)}<span>${times.near(createdAt)}</span>${percent && html`<span>${percent}</span>`}<span>${report?.message ?? doing}</span></p></li>
`;
}
