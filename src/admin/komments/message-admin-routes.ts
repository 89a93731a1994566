import { inTransaction } from "../../database/transactions";
import { localPath } from "../../http/responses/response";
import { isMailAddress } from "../../komments/reader-input";
import {
  blogMessages,
  countMessages,
  deleteMessage,
  type MessageStatus,
  markMessageRead,
  messagesAmong,
  refuseMessage,
} from "../../messages";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { deletionMain } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routing";
import { type AdminForm, actionNamed, type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";
import { moderationList, sentVerb, verbsFor } from "./moderation-list";

export const messageAdminRoutes = blogRoutes({
  "GET /messages": messagesPage,
  "POST /messages": withForm(changeMessages),
});

function changeMessages(visit: BlogVisit, form: AdminForm): AdminResult {
  const { platen, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/messages");
  const { verb, ids } = sentVerb(form);
  const rows = messagesAmong(platen, blog, ids);
  if (rows.length === 0) return { location: next, toast: "Select at least one item." };
  const { done, change } = actionNamed(MESSAGE_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes") {
    const main = deletionMain(visit, {
      words: `Delete ${counted(rows.length, "message")}`,
      hint: "This can’t be undone.",
      rows,
      action: blogPath(blog, "/messages"),
      next,
    });
    return { title: "Delete", place: "messages", main };
  }
  inTransaction(platen, () => {
    for (const row of rows) change(platen, row.id);
  });
  return { location: next, toast: `${counted(rows.length, "message")} ${done}.` };
}

const MESSAGE_STATES: Record<MessageStatus, string> = {
  waiting: "Unread",
  read: "Read",
  refused: "Rejected",
};

const MESSAGE_VERBS = {
  read: { button: "Mark as read", done: "marked as read", leadsTo: "read", change: markMessageRead },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused", change: refuseMessage },
  delete: { button: "Delete", done: "deleted", leadsTo: null, change: deleteMessage },
};

function messagesPage(visit: BlogVisit): AdminPage {
  const { platen, blog } = visit;
  const main = html`<div class="page-head"><h1>Messages</h1>
<div class="ways"><a class="button quiet" href="${blogPath(blog, "/komments/blocked")}">Blocked</a></div></div>
${moderationList(visit, {
  noun: "message",
  path: blogPath(blog, "/messages"),
  states: MESSAGE_STATES,
  count: (status) => countMessages(platen, blog, status),
  rows: (query) => blogMessages(platen, blog, query).map((row) => messageRow(visit, row)),
  verbs: MESSAGE_VERBS,
  empty: () =>
    html`<div class="empty"><h2>No messages</h2><p>Messages from contact forms arrive here. Turn on a contact form in the settings of a post or page.</p></div>`,
})}`;
  return { title: "Messages", place: "messages", main, scripts: ["post-list"] };
}

type BlogMessage = ReturnType<typeof blogMessages>[number];

function messageRow({ blog, times }: BlogVisit, { message, post }: BlogMessage): Html {
  const { id, name, address, origin, text, status, createdAt } = message;
  return html`<li><label class="choice"><input type="checkbox" name="id" value="${id}"><span class="spoken">Select ${name}’s message</span></label>
<div class="what">
<p class="who-wrote"><bdi>${name}</bdi></p>
<p class="about"><span class="state ${status === "waiting" && "scheduled"}">${MESSAGE_STATES[status]}</span><span>${times.near(createdAt)}</span>${address && (origin === "fediverse" ? html`<a href="${address}" rel="nofollow noopener">${address}</a>` : html`<bdi>${address}</bdi>`)}${post && html`<a href="${blogPath(blog, `/posts/${post.id}`)}">${postName(post)}</a>`}</p>
<div class="written" dir="auto"><p>${text}</p></div>
<div class="actions">
${isMailAddress(address) && html`<a class="button quiet" href="mailto:${encodeURIComponent(address)}">Reply by e-mail<span class="spoken"> to ${name}</span></a>`}
${verbsFor(MESSAGE_VERBS, status).map(([verb, { button }]) => html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken">: ${name}’s message</span></button>`)}
</div>
</div></li>
`;
}
