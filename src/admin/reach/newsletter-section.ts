import { MINUTE } from "../../config/units";
import { formError, selectField } from "../../http/forms/form-field";
import { getRelay, relayProblem } from "../../mail/relay-settings";
import {
  countUnsure,
  type Issue,
  issueTitle,
  listIssues,
  type NewsletterMode,
} from "../../newsletter/issues";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import { countSubscribers } from "../../newsletter/subscribers";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { pageLink, pageNav, postForm } from "../layout/page-controls";
import { type BlogVisit, blogPath } from "../layout/visit";

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

export function issueState({ state }: Issue): Html {
  const [words, mark] = ISSUE_STATES[state];
  return html`<span class="state ${mark}">${words}</span>`;
}

function issueRow(visit: BlogVisit, issue: Issue): Html {
  const title = issueTitle(visit.platen, issue);
  return html`<li><div class="what"><a class="name" href="${blogPath(visit.blog, `/reach/issues/${issue.id}`)}">${title}</a>
<p class="about">${issueFacts(visit, issue)}</p></div></li>
`;
}

export function issueFacts({ platen, times }: BlogVisit, issue: Issue): Html {
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
