import { MINUTE } from "../../config/units";
import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import { formError, inputField, selectField } from "../../http/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { getRelay, relayProblem } from "../../mail/relay-settings";
import {
  addUnsubscribeLink,
  defaultPreview,
  defaultSubject,
  MAX_ISSUE_LENGTHS,
  postMail,
} from "../../newsletter/issue-content";
import {
  cancelIssue,
  countLeft,
  countUnsure,
  editIssueOfPost,
  type Issue,
  issueOfPost,
  issueTitle,
  listIssues,
  type NewsletterMode,
  requireIssue,
  sendMailAgain,
  sendPost,
  type UndeliveredMail,
  undeliveredMails,
} from "../../newsletter/issue-scheduling-and-log";
import { sendTestIssue } from "../../newsletter/issue-sending";
import { assertRelayWorks, newsletterOf, setNewsletter } from "../../newsletter/newsletter-settings";
import { countSubscribers } from "../../newsletter/subscribers";
import { isLive } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { reachHead } from "../layout/admin-styles";
import { pageLink, pageNav, parentLink, postForm } from "../layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, formState } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";

export const newsletterAdminRoutes = blogRoutes({
  "GET /reach/issues/:id": issuePage,
  "POST /reach/issues/:id": withForm(changeIssue),
  "GET /reach/posts/:id": postMailPage,
  "POST /reach/posts/:id": withForm(changePostMail, postMailPage),
  "GET /reach/posts/:id/mail": mailResponse,
});

export async function saveNewsletter({ platen, blog }: BlogVisit, form: AdminForm) {
  const isOn = form.get("newsletter") === "on";
  await assertRelayWorks(platen, blog, isOn);
  const changes = { isOn, sends: form.get("sends") ?? undefined };
  inTransaction(platen, () => setNewsletter(platen, blog, changes));
  return { location: blogPath(blog, "/reach"), toast: "Saved." };
}

const issueWithId = (visit: BlogVisit, id: number) => requireIssue(visit.platen, visit.blog, id);
const postWithId = (visit: BlogVisit, id: number) => findPost(visit.platen, visit, id, visit.blog.id);

function changeIssue(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen } = visit;
  const again = form.get("again");
  inTransaction(platen, () => {
    const issue = issueWithId(visit, id);
    if (again !== null) sendMailAgain(platen, issue, Number(again));
    else cancelIssue(platen, issue);
  });
  return again === null ? "E-mail cancelled." : "Queued again.";
}

async function changePostMail(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, blog, account } = visit;
  const post = postWithId(visit, id);
  const input = { subject: form.text("subject"), preview: form.text("preview") };
  inTransaction(platen, () => editIssueOfPost(platen, post, input));
  const action = form.get("do");
  if (action === "test") {
    const failure = await sendTestIssue(platen, post, account.email);
    return failure ? `The test was not sent: ${failure}.` : `A test was sent to ${account.email}.`;
  }
  if (action === "send") {
    const settings = newsletterOf(blog);
    if (!settings) throw malformed("Turn the newsletter on first.");
    inTransaction(platen, () => sendPost(platen, post, settings.sends));
    return "E-mail queued.";
  }
  if (action !== "cancel") return "Saved.";
  const issue = issueOfPost(platen, post.id);
  if (issue) inTransaction(platen, () => cancelIssue(platen, issue));
  return "E-mail cancelled.";
}

function mailResponse(visit: BlogVisit, id: number): HttpResponse {
  const post = postWithId(visit, id);
  const texts = issueOfPost(visit.platen, post.id) ?? { subject: "", preview: "" };
  const mail = postMail(visit.platen, post, texts);
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; img-src 'self' http: https: data:; style-src 'unsafe-inline'; sandbox allow-popups; frame-ancestors 'self'",
  });
  return { status: 200, headers, body: addUnsubscribeLink(mail, "#").html };
}

function issuePage(visit: BlogVisit, id: number): AdminPage {
  const { platen, blog } = visit;
  const issue = issueWithId(visit, id);
  const path = blogPath(blog, `/reach/issues/${id}`);
  const rows = undeliveredMails(platen, issue);
  const left = countLeft(platen, issue);
  const main = html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<h1>${issueTitle(platen, issue)}</h1>
<p class="about">${issueFacts(visit, issue)}${left > 0 && html`<span>${left} unsubscribed</span>`}</p>
${issue.postId !== null && html`<p><a href="${blogPath(blog, `/reach/posts/${issue.postId}`)}">Subject and preview</a></p>`}
${issue.state === "waiting" && html`${postForm(visit, "actions", path)}<button class="danger" name="do" value="cancel">Don’t send</button></form>`}
${
  rows.length > 0 &&
  html`<h2>Not delivered</h2>
${postForm(visit, "", path)}
<ul class="rows">${rows.map(undeliveredRow)}</ul></form>`
}`;
  return { title: "Newsletter", place: "reach", head: reachHead, main };
}

const MAIL_STATES = {
  failed: "Failed",
  pending: "Will be tried again",
  unsure: "The server stopped while sending this e-mail, which may have arrived.",
};

function undeliveredRow({ deliveryId, state, address, failure }: UndeliveredMail): Html {
  return html`<li><div class="what"><span class="name"><bdi>${address ?? "Unsubscribed reader"}</bdi></span>
<p class="about"><span class="state failed">${MAIL_STATES[state]}</span>${failure && html`<span class="because">${failure}</span>`}</p></div>
${state !== "pending" && address !== null && html`<button class="quiet" name="again" value="${deliveryId}">Send again<span class="spoken"> to ${address}</span></button>`}</li>
`;
}

function postMailPage(visit: BlogVisit, id: number): AdminPage {
  const { platen, blog, account, times } = visit;
  const post = postWithId(visit, id);
  const issue = issueOfPost(platen, post.id);
  const path = blogPath(blog, `/reach/posts/${post.id}`);
  const form = formState(visit, { subject: issue?.subject ?? "", preview: issue?.preview ?? "" });
  const isOver = issue?.state === "sending" || issue?.state === "sent";
  const readers = counted(countSubscribers(platen, blog, "confirmed"), "subscriber");
  const main = html`${parentLink(blogPath(blog, `/posts/${post.id}`), postName(post))}
<h1>Newsletter</h1>
<p class="about">${issue ? issueState(issue) : html`<span class="state">Not sent</span>`}${issue?.dueAt && html`<span>${times.near(issue.dueAt)}, to ${readers}</span>`}${isOver && html`<a href="${blogPath(blog, `/reach/issues/${issue.id}`)}">Log</a>`}</p>
${
  !isOver &&
  html`${postForm(visit, "stack", path)}
${inputField(form, "subject", "Subject", {
  isOptional: true,
  more: html`maxlength="${MAX_ISSUE_LENGTHS.subject}" placeholder="${defaultSubject(platen, post)}"`,
})}
${inputField(form, "preview", "Preview text", {
  isOptional: true,
  hint: "Shown after the subject in the reader's inbox.",
  more: html`maxlength="${MAX_ISSUE_LENGTHS.preview}" placeholder="${defaultPreview(platen, post)}"`,
})}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="test">Send a test<span class="spoken"> to ${account.email}</span></button>
${issue?.state === "waiting" ? html`<button class="danger" name="do" value="cancel">Don’t send</button>` : newsletterOf(blog) && isLive(post, platen.now()) && html`<button class="quiet" name="do" value="send">Send as newsletter</button>`}</div>
</form>`
}
<h2>Preview</h2>
<iframe class="mail-preview" title="The mail" src="${path}/mail"></iframe>`;
  return { title: "Newsletter", place: "reach", head: reachHead, main };
}

const MODE_LABELS: Record<NewsletterMode, string> = {
  each: "Each post, unless you deselect it",
  ticked: "Only posts that you select",
  weekly: "A weekly digest, on Mondays at 9:00",
};

export function newsletterSection(visit: BlogVisit): Html {
  const { platen, blog, account, rejected } = visit;
  const settings = newsletterOf(blog);
  const path = blogPath(blog, "/reach");
  const readers = countSubscribers(platen, blog, "confirmed");
  if (!getRelay(platen))
    return html`<p>New posts by e-mail, to readers who subscribe on your site.</p>
<p class="hint">This server sends no mail yet. ${account.isAdmin ? html`<a href="/admin/mail">Set up mail</a>` : "The server’s admin can set up mail."}</p>`;
  const problem = relayProblem(platen);
  return html`<p>New posts by e-mail, to readers who subscribe on your site.</p>
${rejected?.errors.newsletter?.map((error) => formError(`The newsletter ${error}.`))}
<p class="about"><span class="state ${settings && "live"}">${settings ? "On" : "Off"}</span><a href="${path}/subscribers">${counted(readers, "subscriber")}</a></p>
${problem && html`<p class="wrong" role="alert">No mail is being sent: ${problem}. ${account.isAdmin ? html`<a href="/admin/mail">Open mail</a>` : "Tell the server’s admin."}</p>`}
${postForm(visit, "stack", `${path}/newsletter`)}
<div class="switch"><input type="checkbox" role="switch" id="newsletter" name="newsletter" value="on"${settings && html` checked`} aria-describedby="newsletter-hint">
<label for="newsletter">Newsletter</label>
<p class="hint" id="newsletter-hint">${settings ? `Posts are sent ${counted(Math.ceil(platen.config.newsletterDelay / MINUTE), "minute")} after they are published. Until then, you can still edit, unpublish or delete them.` : `When you turn the newsletter on, a test e-mail is sent to ${account.email}.`}</p></div>
${selectField({ values: { sends: settings?.sends }, errors: rejected?.errors }, "sends", "Send", MODE_LABELS)}
<div class="actions"><button class="primary">Save</button></div>
</form>
${settings && html`<p class="hint">Readers subscribe at the bottom of your pages. In a post, a paragraph that is only a link to <code>/newsletter</code> becomes the form.</p>`}
${issueList(visit)}`;
}

const ISSUES_SHOWN = 20;

function issueList(visit: BlogVisit): Html | null {
  const { call, platen, blog } = visit;
  const before = Number(call.url.searchParams.get("before")) || null;
  const issues = listIssues(platen, blog, before, ISSUES_SHOWN);
  if (issues.length === 0) return null;
  const path = blogPath(blog, "/reach");
  return html`<h3>Sent posts</h3>
<ul class="rows">${issues.map((issue) => issueRow(visit, issue))}</ul>
${pageNav(false, issues.length === ISSUES_SHOWN && pageLink("Older", `${path}?before=${issues.at(-1)?.id}`, "next"))}`;
}

const ISSUE_STATES: Record<Issue["state"], [words: string, mark: string]> = {
  draft: ["Not sent", ""],
  waiting: ["Waiting", "scheduled"],
  sending: ["Sending", "scheduled"],
  sent: ["Sent", "live"],
  cancelled: ["Cancelled", ""],
};

function issueState({ state }: Issue): Html {
  const [words, mark] = ISSUE_STATES[state];
  return html`<span class="state ${mark}">${words}</span>`;
}

function issueRow(visit: BlogVisit, issue: Issue): Html {
  const title = issueTitle(visit.platen, issue);
  return html`<li><div class="what"><a class="name" href="${blogPath(visit.blog, `/reach/issues/${issue.id}`)}">${title}</a>
<p class="about">${issueFacts(visit, issue)}</p></div></li>
`;
}

function issueFacts({ platen, times }: BlogVisit, issue: Issue): Html {
  const { dueAt, sentAt, state, sentCount, failedCount, bouncedCount } = issue;
  const unsure = countUnsure(platen, issue);
  const hasCounts = state !== "waiting" && state !== "draft";
  const counts = [
    `${sentCount} sent`,
    failedCount > 0 && `${failedCount} failed`,
    bouncedCount > 0 && `${bouncedCount} bounced`,
    unsure > 0 && `${unsure} unsure`,
  ];
  return html`${issueState(issue)}${dueAt && html`<span>${times.near(dueAt)}</span>`}${sentAt && html`<span>${times.near(sentAt)}</span>`}${hasCounts && counts.map((words) => words && html`<span>${words}</span>`)}`;
}
