import { inTransaction } from "../../database/transactions";
import { invalid, malformed, Refusal } from "../../errors";
import { inputField } from "../../http/forms/form-field";
import type { HttpResponse } from "../../http/responses/response";
import {
  addUnsubscribeLink,
  defaultPreview,
  defaultSubject,
  MAX_ISSUE_LENGTHS,
  postMail,
} from "../../newsletter/issue-content";
import { sendTestIssue } from "../../newsletter/issue-sending";
import {
  cancelIssue,
  countLeft,
  editIssueOfPost,
  issueOfPost,
  issueTitle,
  requireIssue,
  sendMailAgain,
  sendPost,
  type UndeliveredMail,
  undeliveredMails,
} from "../../newsletter/issues";
import { assertRelayWorks, newsletterOf, setNewsletter } from "../../newsletter/newsletter-settings";
import {
  addSubscriber,
  countSubscribers,
  removeSubscriber,
  requireMailAddress,
  requireSubscriber,
} from "../../newsletter/subscribers";
import { localPath } from "../../owner/local-path";
import { isLive, type Post } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { importSubscribers, subscriberLines } from "../../transfer/subscriber-files";
import { downloadResponse } from "../layout/admin-responses";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/admin-routes";
import { reachHead } from "../layout/admin-styles";
import { parentLink, postForm } from "../layout/page-controls";
import { type AdminForm, type BlogVisit, blogPath, type FormFields, readAdminFiles } from "../layout/visit";
import { postName } from "../words/post-states";
import { issueFacts, issueState } from "./newsletter-section";
import { reachPage } from "./reach-routes";
import { describeImport, removalPage, subscribersPage } from "./subscribers-page";

export const newsletterAdminRoutes = blogRoutes({
  "POST /reach/newsletter": withForm(saveNewsletter, reachPage),
  "GET /reach/subscribers": subscribersPage,
  "POST /reach/subscribers": withForm(changeSubscribers, subscribersPage),
  "POST /reach/subscribers/import": importFile,
  "GET /reach/subscribers/export": exportFile,
  "GET /reach/issues/:id": issuePage,
  "POST /reach/issues/:id": withForm(changeIssue),
  "GET /reach/posts/:id": postMailPage,
  "POST /reach/posts/:id": withForm(changePostMail, postMailPage),
  "GET /reach/posts/:id/mail": mailResponse,
});

async function saveNewsletter({ platen, blog }: BlogVisit, form: AdminForm) {
  const isOn = form.get("newsletter") === "on";
  await assertRelayWorks(platen, blog, isOn);
  const changes = { isOn, sends: form.get("sends") ?? undefined };
  inTransaction(platen, () => setNewsletter(platen, blog, changes));
  return { location: blogPath(blog, "/reach"), toast: "Saved." };
}

function changeSubscribers(visit: BlogVisit, form: AdminForm): AdminResult {
  const { platen, blog } = visit;
  const location = localPath(form.get("next")) ?? blogPath(blog, "/reach/subscribers");
  const id = form.get("remove");
  if (id !== null) {
    const subscriber = requireSubscriber(platen, blog, Number(id));
    if (form.get("sure") !== "yes") return removalPage(visit, subscriber, location);
    inTransaction(platen, () => removeSubscriber(platen, subscriber));
    return { location, toast: "Removed." };
  }
  const address = requireMailAddress(form.text("address"));
  const outcome = inTransaction(platen, () => addSubscriber(platen, blog, address));
  if (outcome === "left")
    throw invalid({ address: ["has unsubscribed; only the reader can subscribe again"] });
  return { location, toast: outcome === "added" ? "Added." : "Already subscribed." };
}

async function importFile(visit: BlogVisit): Promise<AdminResult> {
  const { platen, blog } = visit;
  const location = blogPath(blog, "/reach/subscribers");
  const importAgreed = (stream: AsyncIterable<Uint8Array>, _filename: string, before: FormFields) => {
    if (!before.some(([name, value]) => name === "agreed" && value === "yes"))
      throw malformed("Confirm that these people have agreed to get this newsletter.");
    return importSubscribers(platen, blog, stream);
  };
  try {
    const [report] = (await readAdminFiles(visit, importAgreed, async () => {})).files;
    return { location, toast: report ? describeImport(report) : "Choose a file." };
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || !refusal.fields?.file) throw refusal;
    return { location, toast: `The file ${refusal.fields.file[0]}.` };
  }
}

function exportFile({ platen, blog }: BlogVisit): HttpResponse {
  const csv = [...subscriberLines(platen, blog)].join("");
  return downloadResponse(csv, "text/csv; charset=utf-8", `${blog.slug}-subscribers.csv`);
}

const issueWithId = (visit: BlogVisit, id: number) => requireIssue(visit.platen, visit.blog, id);
const postWithId = (visit: BlogVisit, id: number) => findPost(visit.platen, visit, id, visit.blog.id);

function changeIssue(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, url } = visit.call;
  const again = form.get("again");
  inTransaction(platen, () => {
    const issue = issueWithId(visit, id);
    if (again !== null) sendMailAgain(platen, issue, Number(again));
    else cancelIssue(platen, issue);
  });
  return { location: url.pathname, toast: again === null ? "E-mail cancelled." : "Queued again." };
}

async function changePostMail(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, url } = visit.call;
  const post = postWithId(visit, id);
  const input = { subject: form.text("subject"), preview: form.text("preview") };
  inTransaction(platen, () => editIssueOfPost(platen, post, input));
  return { location: url.pathname, toast: await performMailAction(visit, post, form.get("do")) };
}

async function performMailAction(visit: BlogVisit, post: Post, action: string | null): Promise<string> {
  const { platen, blog, account } = visit;
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
  const mail = postMail(
    visit.platen,
    post,
    issueOfPost(visit.platen, post.id) ?? { subject: "", preview: "" },
  );
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
  const { platen, blog, account, times, rejected } = visit;
  const post = postWithId(visit, id);
  const issue = issueOfPost(platen, post.id);
  const path = blogPath(blog, `/reach/posts/${post.id}`);
  const form = rejected ?? { values: { subject: issue?.subject ?? "", preview: issue?.preview ?? "" } };
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
