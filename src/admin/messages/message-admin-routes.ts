import { inTransaction } from "../../database/transactions";
import { isMailAddress } from "../../komments/reader-input-check";
import {
  blogMessages,
  countMessages,
  deleteMessage,
  type Message,
  markMessageRead,
  messagesAmong,
  refuseMessage,
} from "../../messages/message-list";
import { localPath } from "../../owner/local-path";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { moderationForm, sentVerb, verbsFor } from "../komments/moderation-list";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/admin-routes";
import { deletionMain, pageLinks, pageNumber, selectAll } from "../layout/page-controls";
import { type AdminForm, actionNamed, type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../words/post-states";

export const messageAdminRoutes = blogRoutes({
  "GET /messages": messagesPage,
  "POST /messages": withForm(changeMessages),
});

function changeMessages(visit: BlogVisit, form: AdminForm): AdminResult {
  const { call, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/messages");
  const { verb, ids } = sentVerb(form);
  const rows = messagesAmong(call.platen, blog, ids);
  if (rows.length === 0) return { location: next, toast: "Select at least one item." };
  const { done, change } = actionNamed(MESSAGE_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes")
    return { title: "Delete", place: "messages", main: messageDeletionMain(visit, rows, next) };
  inTransaction(call.platen, () => {
    for (const row of rows) change(call.platen, row.id);
  });
  return { location: next, toast: `${counted(rows.length, "message")} ${done}.` };
}

const MESSAGES_PER_PAGE = 30;

const MESSAGE_STATES = { waiting: "Unread", read: "Read", refused: "Rejected" } as const;
const STATUSES = ["waiting", "read", "refused"] as const;
const TABS = [...STATUSES.map((one) => [one, MESSAGE_STATES[one]] as const), ["all", "All"] as const];

const MESSAGE_VERBS = {
  read: { button: "Mark as read", done: "marked as read", leadsTo: "read", change: markMessageRead },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused", change: refuseMessage },
  delete: { button: "Delete", done: "deleted", leadsTo: null, change: deleteMessage },
};

function messagesPage(visit: BlogVisit): AdminPage {
  const { call, blog } = visit;
  const { searchParams } = call.url;
  const tab = TABS.find(([name]) => name === searchParams.get("status"))?.[0] ?? "waiting";
  const page = pageNumber(searchParams);
  const path = blogPath(blog, "/messages");
  const totals = new Map(STATUSES.map((one) => [one as string, countMessages(call.platen, blog, one)]));
  const unread = totals.get("waiting") ?? 0;
  const total = totals.get(tab) ?? [...totals.values()].reduce((sum, one) => sum + one, 0);
  const status = tab === "all" ? undefined : tab;
  const rows = blogMessages(call.platen, blog, { status, page, limit: MESSAGES_PER_PAGE });
  const main = html`<div class="page-head"><h1>Messages</h1>
<div class="ways"><a class="button quiet" href="${blogPath(blog, "/komments/blocked")}">Blocked</a></div></div>
<div class="list-head">${selectAll}
<nav class="tabs" aria-label="State">
${TABS.map(([name, label]) => html`<a href="${path}?status=${name}"${name === tab && html` aria-current="page"`}>${label}${name === "waiting" && unread > 0 && ` (${unread})`}</a>`)}
</nav>
<p class="count" id="count" role="status">${total === 0 ? "No messages" : counted(total, "message")}</p>
</div>
${
  rows.length === 0
    ? html`<div class="empty"><h2>No messages</h2><p>Messages from contact forms arrive here. Turn on a contact form in the settings of a post or page.</p></div>`
    : moderationForm(
        visit,
        path,
        rows.map((row) => messageRow(visit, row)),
        verbsFor(MESSAGE_VERBS, tab),
        "messages",
      )
}
${pageLinks(call, total, MESSAGES_PER_PAGE)}`;
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

function messageDeletionMain(visit: BlogVisit, rows: Message[], next: string): Html {
  return deletionMain(visit, {
    words: `Delete ${counted(rows.length, "message")}`,
    hint: "This can’t be undone.",
    rows,
    action: blogPath(visit.blog, "/messages"),
    next,
  });
}
