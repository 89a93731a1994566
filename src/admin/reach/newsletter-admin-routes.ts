import { inTransaction } from "../../database/transactions";
import { invalid, malformed, Refusal } from "../../errors";
import { type FormState, inputField } from "../../http/forms/form-field";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import {
  addUnsubscribeLink,
  defaultPreview,
  defaultSubject,
  MAX_ISSUE_LENGTHS,
  postMail,
} from "../../newsletter/issue-content";
import {
  countLeft,
  countUnsure,
  issueTitle,
  sendMailAgain,
  type UndeliveredMail,
  undeliveredMails,
} from "../../newsletter/issue-log";
import {
  cancelIssue,
  editIssueOfPost,
  type Issue,
  issueOfPost,
  requireIssue,
  sendPost,
} from "../../newsletter/issue-scheduling";
import { newsletterOf, setNewsletter } from "../../newsletter/newsletter-settings";
import {
  addSubscriber,
  countSubscribers,
  removeSubscriber,
  requireMailAddress,
  requireSubscriber,
} from "../../newsletter/subscribers";
import { assertRelayWorks, sendTestIssue } from "../../newsletter/test-mails";
import { csrfField } from "../../owner/csrf";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { importSubscribers, subscriberLines } from "../../transfer/subscribers/subscriber-files";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { reachHead } from "../layout/admin-styles";
import { blogPath } from "../layout/menu-places";
import { parentLink } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, type FormFields, readAdminFiles, withForm } from "../layout/visit";
import { postName } from "../words/post-states";
import { issueCounts, issueState, newsletterSection } from "./newsletter-section";
import { reachResponse } from "./reach-routes";
import { describeImport, removeMain, subscribersMain } from "./subscribers-page";

export const newsletterAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "newsletter")
    .post("/admin/blogs/:slug/reach/newsletter", onBlog(withForm(saveNewsletter)))
    .get(
      "/admin/blogs/:slug/reach/subscribers",
      onBlog((visit) => page(visit, "Subscribers", subscribersMain(visit))),
    )
    .post("/admin/blogs/:slug/reach/subscribers", onBlog(withForm(changeSubscribers)))
    .post("/admin/blogs/:slug/reach/subscribers/import", onBlog(importFile))
    .get("/admin/blogs/:slug/reach/subscribers/export", onBlog(exportFile))
    .get(
      "/admin/blogs/:slug/reach/issues/:id",
      onBlog((visit, id) => page(visit, "Newsletter", issueMain(visit, issueWithId(visit, id)))),
    )
    .post("/admin/blogs/:slug/reach/issues/:id", onBlog(withForm(changeIssue)))
    .get(
      "/admin/blogs/:slug/reach/posts/:id",
      onBlog((visit, id) => page(visit, "Newsletter", postMailMain(visit, postWithId(visit, id)))),
    )
    .post("/admin/blogs/:slug/reach/posts/:id", onBlog(withForm(changePostMail)))
    .get("/admin/blogs/:slug/reach/posts/:id/mail", onBlog(mailResponse));

function page(visit: BlogVisit, title: string, main: Html, status?: number) {
  return adminResponse(visit, {
    title,
    place: "reach",
    head: reachHead,
    main,
    status,
  });
}

async function saveNewsletter(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  const isOn = form.get("newsletter") === "on";
  try {
    await assertRelayWorks(call.platen, blog, isOn);
    const changes = { isOn, sends: form.get("sends") ?? undefined };
    inTransaction(call.platen, () => setNewsletter(call.platen, blog, changes));
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const message = refusal.fields?.newsletter
      ? `The newsletter ${refusal.fields.newsletter[0]}.`
      : refusal.message;
    return reachResponse(visit, newsletterSection, [message], refusal.kind);
  }
  return redirectWithToast(call, blogPath(blog, "/reach"), "Saved.");
}

async function changeSubscribers(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  const { platen } = call;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/reach/subscribers");
  const id = form.get("remove");
  if (id !== null) {
    const subscriber = requireSubscriber(platen, blog, Number(id));
    if (form.get("sure") !== "yes") return page(visit, "Remove", removeMain(visit, subscriber, next));
    inTransaction(platen, () => removeSubscriber(platen, subscriber));
    return redirectWithToast(call, next, "Removed.");
  }
  try {
    const address = requireMailAddress(form.text("address"));
    const outcome = inTransaction(platen, () => addSubscriber(platen, blog, address));
    if (outcome === "left")
      throw invalid({ address: ["has unsubscribed; only the reader can subscribe again"] });
    return redirectWithToast(call, next, outcome === "added" ? "Added." : "Already subscribed.");
  } catch (refusal) {
    const main = subscribersMain(visit, form.rejected(refusal, "address"));
    return page(visit, "Subscribers", main, ERROR_STATUS.invalid);
  }
}

async function importFile(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const next = blogPath(blog, "/reach/subscribers");
  const importAgreed = (stream: AsyncIterable<Uint8Array>, _filename: string, before: FormFields) => {
    if (!before.some(([name, value]) => name === "agreed" && value === "yes"))
      throw malformed("Confirm that these people have agreed to get this newsletter.");
    return importSubscribers(call.platen, blog, stream);
  };
  try {
    const [report] = (await readAdminFiles(visit, importAgreed, async () => {})).files;
    return redirectWithToast(call, next, report ? describeImport(report) : "Choose a file.");
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || !refusal.fields?.file) throw refusal;
    return redirectWithToast(call, next, `The file ${refusal.fields.file[0]}.`);
  }
}

function exportFile({ call, blog }: BlogVisit): HttpResponse {
  const body = [...subscriberLines(call.platen, blog)].join("");
  const headers = new Headers({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${blog.slug}-subscribers.csv"`,
    "cache-control": "no-store",
  });
  return { status: 200, headers, body };
}

const issueWithId = (visit: BlogVisit, id: number) => requireIssue(visit.call.platen, visit.blog, id);
const postWithId = (visit: BlogVisit, id: number) => findPost(visit.call.platen, visit, id, visit.blog.id);

async function changeIssue(visit: BlogVisit, form: AdminForm, id: number): Promise<HttpResponse> {
  const { call } = visit;
  const again = form.get("again");
  inTransaction(call.platen, () => {
    const issue = issueWithId(visit, id);
    if (again !== null) sendMailAgain(call.platen, issue, Number(again));
    else cancelIssue(call.platen, issue);
  });
  return redirectWithToast(call, call.url.pathname, again === null ? "E-mail cancelled." : "Queued again.");
}

async function changePostMail(visit: BlogVisit, form: AdminForm, id: number): Promise<HttpResponse> {
  const { call, blog, account } = visit;
  const { platen } = call;
  const post = postWithId(visit, id);
  const input = { subject: form.text("subject"), preview: form.text("preview") };
  const done = (message: string) => redirectWithToast(call, call.url.pathname, message);
  try {
    inTransaction(platen, () => editIssueOfPost(platen, post, input));
  } catch (refusal) {
    const main = postMailMain(visit, post, form.rejected(refusal, "subject", "preview"));
    return page(visit, "Newsletter", main, ERROR_STATUS.invalid);
  }
  switch (form.get("do")) {
    case "test": {
      const failure = await sendTestIssue(platen, post, account.email);
      return done(failure ? `The test was not sent: ${failure}.` : `A test was sent to ${account.email}.`);
    }
    case "send": {
      const settings = newsletterOf(blog);
      if (!settings) throw malformed("Turn the newsletter on first.");
      inTransaction(platen, () => sendPost(platen, post, settings.sends));
      return done("E-mail queued.");
    }
    case "cancel": {
      const issue = issueOfPost(platen, post.id);
      if (issue) inTransaction(platen, () => cancelIssue(platen, issue));
      return done("E-mail cancelled.");
    }
    default:
      return done("Saved.");
  }
}

function mailResponse(visit: BlogVisit, id: number): HttpResponse {
  const { platen } = visit.call;
  const post = postWithId(visit, id);
  const mail = postMail(platen, post, issueOfPost(platen, post.id) ?? { subject: "", preview: "" });
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; img-src 'self' http: https: data:; style-src 'unsafe-inline'; sandbox allow-popups; frame-ancestors 'self'",
  });
  return { status: 200, headers, body: addUnsubscribeLink(mail, "#").html };
}

function issueMain({ call, blog, token, times }: BlogVisit, issue: Issue): Html {
  const { platen } = call;
  const path = blogPath(blog, `/reach/issues/${issue.id}`);
  const rows = undeliveredMails(platen, issue);
  const left = countLeft(platen, issue);
  return html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<h1>${issueTitle(platen, issue)}</h1>
<p class="about">${issueState(issue)}${issue.dueAt && html`<span>${times.near(issue.dueAt)}</span>`}${issue.sentAt && html`<span>${times.near(issue.sentAt)}</span>`}${issueCounts(issue, countUnsure(platen, issue)).map((words) => html`<span>${words}</span>`)}${left > 0 && html`<span>${left} unsubscribed</span>`}</p>
${issue.postId !== null && html`<p><a href="${blogPath(blog, `/reach/posts/${issue.postId}`)}">Subject and preview</a></p>`}
${issue.state === "waiting" && html`<form class="actions" method="post" action="${path}">${csrfField(token)}<button class="danger" name="do" value="cancel">Don’t send</button></form>`}
${
  rows.length > 0 &&
  html`<h2>Not delivered</h2>
<form method="post" action="${path}">${csrfField(token)}
<ul class="rows">${rows.map(undeliveredRow)}</ul></form>`
}`;
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

function postMailMain(visit: BlogVisit, post: Post, rejected?: FormState): Html {
  const { call, blog, token, account, times } = visit;
  const { platen } = call;
  const issue = issueOfPost(platen, post.id);
  const path = blogPath(blog, `/reach/posts/${post.id}`);
  const form = rejected ?? { values: { subject: issue?.subject ?? "", preview: issue?.preview ?? "" } };
  const isOver = issue?.state === "sending" || issue?.state === "sent";
  const readers = counted(countSubscribers(platen, blog, "confirmed"), "subscriber");
  return html`${parentLink(blogPath(blog, `/posts/${post.id}`), postName(post))}
<h1>Newsletter</h1>
<p class="about">${issue ? issueState(issue) : html`<span class="state">Not sent</span>`}${issue?.dueAt && html`<span>${times.near(issue.dueAt)}, to ${readers}</span>`}${isOver && html`<a href="${blogPath(blog, `/reach/issues/${issue.id}`)}">Log</a>`}</p>
${
  !isOver &&
  html`<form class="stack" method="post" action="${path}">
${csrfField(token)}
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
}
