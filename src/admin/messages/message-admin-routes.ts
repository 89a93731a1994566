import { inTransaction } from "../../database/transactions";
import type { HttpResponse } from "../../http/responses/response";
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
import { csrfField } from "../../owner/csrf";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import {
  deletionMain,
  pageLinks,
  pageNumber,
  selectAll,
  selectionCount,
  withParams,
} from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, actionNamed, type BlogVisit, idsIn, withForm } from "../layout/visit";
import { postName } from "../words/post-states";

export const messageAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "messages")
    .get(
      "/admin/blogs/:slug/messages",
      onBlog((visit) =>
        adminResponse(visit, {
          title: "Messages",
          place: "messages",
          main: messagesMain(visit),
          scripts: ["post-list"],
        }),
      ),
    )
    .post("/admin/blogs/:slug/messages", onBlog(withForm(changeMessages)));

async function changeMessages(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/messages");
  const [verb = "", id] = (form.get("one") ?? form.get("do") ?? "").split(" ");
  const rows = messagesAmong(call.platen, blog, idsIn(id === undefined ? form.getAll("id") : [id]));
  if (rows.length === 0) return redirectWithToast(call, next, "Select at least one item.");
  const { done, change } = actionNamed(MESSAGE_VERBS, verb);
  if (verb === "delete" && form.get("sure") !== "yes")
    return adminResponse(visit, {
      title: "Delete",
      place: "messages",
      main: messageDeletionMain(visit, rows, next),
    });
  inTransaction(call.platen, () => {
    for (const row of rows) change(call.platen, row.id);
  });
  return redirectWithToast(call, next, `${counted(rows.length, "message")} ${done}.`);
}

const MESSAGES_PER_PAGE = 30;

const MESSAGE_STATES = { waiting: "Unread", read: "Read", refused: "Rejected" } as const;
const TABS = { ...MESSAGE_STATES, all: "All" } as const;

const MESSAGE_VERBS = {
  read: { button: "Mark as read", done: "marked as read", leadsTo: "read", change: markMessageRead },
  refuse: { button: "Reject", done: "rejected", leadsTo: "refused", change: refuseMessage },
  delete: { button: "Delete", done: "deleted", leadsTo: null, change: deleteMessage },
};
const MESSAGE_VERB_ENTRIES = Object.entries(MESSAGE_VERBS);

function messagesMain(visit: BlogVisit): Html {
  const { call, blog, token } = visit;
  const query = call.url.searchParams;
  const state = (Object.keys(TABS) as (keyof typeof TABS)[]).find((one) => one === query.get("status"));
  const tab = state ?? "waiting";
  const page = pageNumber(query);
  const path = blogPath(blog, "/messages");
  const totals = { waiting: 0, read: 0, refused: 0 };
  for (const one of ["waiting", "read", "refused"] as const)
    totals[one] = countMessages(call.platen, blog, one);
  const total = tab === "all" ? totals.waiting + totals.read + totals.refused : totals[tab];
  const status = tab === "all" ? undefined : tab;
  const rows = blogMessages(call.platen, blog, { status, page, limit: MESSAGES_PER_PAGE });
  return html`<div class="page-head"><h1>Messages</h1>
<div class="ways"><a class="button quiet" href="${blogPath(blog, "/komments/blocked")}">Blocked</a></div></div>
<div class="list-head">${selectAll}
<nav class="tabs" aria-label="State">
${Object.entries(TABS).map(([name, label]) => html`<a href="${path}?status=${name}"${name === tab && html` aria-current="page"`}>${label}${name === "waiting" && totals.waiting > 0 && ` (${totals.waiting})`}</a>`)}
</nav>
<p class="count" id="count" role="status">${total === 0 ? "No messages" : counted(total, "message")}</p>
</div>
${
  rows.length === 0
    ? html`<div class="empty"><h2>No messages</h2><p>Messages from contact forms arrive here. Turn on a contact form in the settings of a post or page.</p></div>`
    : html`<form method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="next" value="${withParams(call, {})}">
<ul class="rows talk">${rows.map((row) => messageRow(visit, row))}</ul>
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${MESSAGE_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== tab).map(([verb, { button }]) => html`<button class="${verb === "delete" ? "danger" : "quiet"}" name="do" value="${verb}">${button}<span class="spoken"> the selected messages</span></button>`)}
</div>
</form>`
}
${pageLinks(call, total, MESSAGES_PER_PAGE)}`;
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
${MESSAGE_VERB_ENTRIES.filter(([, { leadsTo }]) => leadsTo !== status).map(([verb, { button }]) => html`<button class="quiet" name="one" value="${verb} ${id}"${verb !== "delete" && html` data-in-place`}>${button}<span class="spoken">: ${name}’s message</span></button>`)}
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
