import { formField } from "../../http/forms/form-field";
import { defaultPreview, defaultSubject, MAX_WORDS } from "../../newsletter/issue-content";
import {
  countLeft,
  countUnsure,
  issueTitle,
  type UndeliveredMail,
  undeliveredMails,
} from "../../newsletter/issue-log";
import { type Issue, issueOfPost } from "../../newsletter/issues";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import { countSubscribers } from "../../newsletter/subscribers";
import { csrfField } from "../../owner/csrf";
import { isLive, type Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { parentLink } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName, timesFor } from "../words/words";
import { issueCounts, issueState } from "./newsletter-section";

/** The delivery log of a newsletter issue. */
export function issueMain({ call, blog, token }: BlogVisit, issue: Issue): Html {
  const { platen } = call;
  const times = timesFor(blog, platen.now());
  const path = blogPath(blog, `/reach/issues/${issue.id}`);
  const rows = undeliveredMails(platen, issue);
  const left = countLeft(platen, issue);
  return html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<h1>${issueTitle(platen, issue)}</h1>
<p class="about">${issueState(issue)}${issue.dueAt && html`<span>${times.near(issue.dueAt)}</span>`}${issue.sentAt && html`<span>${times.near(issue.sentAt)}</span>`}${issueCounts(issue, countUnsure(platen, issue)).map((words) => html`<span>${words}</span>`)}${left > 0 && html`<span>${left} left</span>`}</p>
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
  unsure: "The server stopped while it was sent. It may have arrived.",
};

function undeliveredRow({ deliveryId, state, address, failure }: UndeliveredMail): Html {
  return html`<li><div class="what"><span class="name"><bdi>${address ?? "Unsubscribed reader"}</bdi></span>
<p class="about"><span class="state failed">${MAIL_STATES[state]}</span>${failure && html`<span class="because">${failure}</span>`}</p></div>
${state !== "pending" && address !== null && html`<button class="quiet" name="again" value="${deliveryId}">Send again<span class="spoken"> to ${address}</span></button>`}</li>
`;
}

/** Subject, preview text and preview of a post's mail. */
export function postMailMain(
  visit: BlogVisit,
  post: Post,
  typed?: { subject: string; preview: string; faults: Record<string, string[]> },
): Html {
  const { call, blog, token, account } = visit;
  const { platen } = call;
  const issue = issueOfPost(platen, post.id);
  const path = blogPath(blog, `/reach/posts/${post.id}`);
  const words = typed ?? { subject: issue?.subject ?? "", preview: issue?.preview ?? "", faults: {} };
  const isOver = issue?.state === "sending" || issue?.state === "sent";
  const times = timesFor(blog, platen.now());
  const readers = counted(countSubscribers(platen, blog, "confirmed"), "subscriber");
  const faults: Record<string, string[]> = words.faults;
  return html`${parentLink(blogPath(blog, `/posts/${post.id}`), postName(post))}
<h1>Newsletter</h1>
<p class="about">${issue ? issueState(issue) : html`<span class="state">Not sent</span>`}${issue?.dueAt && html`<span>${times.near(issue.dueAt)}, to ${readers}</span>`}${isOver && html`<a href="${blogPath(blog, `/reach/issues/${issue.id}`)}">Log</a>`}</p>
${
  !isOver &&
  html`<form class="stack" method="post" action="${path}">
${csrfField(token)}
${formField({ name: "subject", label: "Subject", isOptional: true, faults: faults.subject }, (tied) => html`<input ${tied} maxlength="${MAX_WORDS.subject}" value="${words.subject}" placeholder="${defaultSubject(platen, post)}">`)}
${formField({ name: "preview", label: "Preview text", isOptional: true, faults: faults.preview, hint: "Shown after the subject in lists of mail." }, (tied) => html`<input ${tied} maxlength="${MAX_WORDS.preview}" value="${words.preview}" placeholder="${defaultPreview(platen, post)}">`)}
<div class="actions"><button class="primary" name="do" value="save">Save</button>
<button class="quiet" name="do" value="test">Send a test<span class="spoken"> to ${account.email}</span></button>
${issue?.state === "waiting" ? html`<button class="danger" name="do" value="cancel">Don’t send</button>` : newsletterOf(blog) && isLive(post, platen.now()) && html`<button class="quiet" name="do" value="send">Send as newsletter</button>`}</div>
</form>`
}
<h2>Preview</h2>
<iframe class="mail-preview" title="The mail" src="${path}/mail"></iframe>`;
}
