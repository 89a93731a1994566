import type { Account } from "../../accounts/accounts";
import { type Invitation, MAX_INVITATION_NOTE_LENGTH, pendingInvitations } from "../../accounts/invitations";
import { countPeople, listPeople, type Person, personOf } from "../../accounts/people";
import { type Blog, blogsOf } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { FieldErrors } from "../../errors";
import { type FormState, inputField, selectField } from "../../http/forms/form-field";
import { getRelay } from "../../mail/relay-settings";
import { csrfField } from "../../owner/csrf";
import { passwordAgainField } from "../../owner/password-confirmation";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { confirmationMain, copyField, pageLinks, parentLink } from "../layout/page-controls";
import type { Visit } from "../layout/visit";
import { blogInNumbers } from "../removal/blog-removal-routes";

const PEOPLE_PER_PAGE = 30;

const PATH = "/admin/people";

export function peopleMain(visitor: Visit, page: number, rejected?: FormState): Html {
  const { platen } = visitor.call;
  const total = countPeople(platen);
  return html`<div class="page-head"><h1>People</h1>
<div class="ways"><a class="button quiet" href="${PATH}/log">Activity</a></div></div>
<p class="count">${counted(total, "account")}</p>
<ul class="rows">
${listPeople(platen, page, PEOPLE_PER_PAGE).map((person) => personRow(visitor, person))}
</ul>
${pageLinks(page, Math.ceil(total / PEOPLE_PER_PAGE), (other) => `${PATH}?page=${other}`)}
${pendingList(visitor)}
${inviteForm(visitor, rejected)}`;
}

function personRow(visitor: Visit, { account, blogs, lastSeenAt }: Person): Html {
  const isSelf = account.id === visitor.account.id;
  return html`<li><div class="what"><a class="name" href="${isSelf ? "/admin/account" : `${PATH}/${account.id}`}"><bdi>${account.name}</bdi></a>
<p class="about">${roleBadge(account)}${isSelf && html`<span>you</span>`}<span>${account.email}</span></p></div>
<p class="facts"><span>${counted(blogs, "blog")}</span>${lastSeenAt && html`<span>seen ${visitor.times.near(lastSeenAt)}</span>`}</p></li>
`;
}

function roleBadge({ isAdmin, disabledAt }: Person["account"]): Html {
  if (disabledAt) return html`<span class="state">Disabled</span>`;
  return isAdmin ? html`<span class="state live">Admin</span>` : html`<span class="state">Author</span>`;
}

function pendingList(visitor: Visit): Html | null {
  const pending = pendingInvitations(visitor.call.platen);
  if (pending.length === 0) return null;
  return html`<section><h2>Invited</h2>
<ul class="rows">
${pending.map((one) => pendingRow(visitor, one))}
</ul></section>`;
}

function pendingRow({ times, token }: Visit, invitation: Invitation): Html {
  const { id, forWhom, isAdmin, createdAt, expiresAt } = invitation;
  const name = forWhom || "Anyone with the link";
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>as ${isAdmin ? "admin" : "author"}</span><span>invited ${times.near(createdAt)}</span><span>expires ${times.full(expiresAt)}</span></p></div>
<form method="post" action="${PATH}">${csrfField(token)}<input type="hidden" name="do" value="revoke"><input type="hidden" name="id" value="${id}"><button class="quiet">Revoke<span class="spoken"> the invitation: ${name}</span></button></form></li>`;
}

const ROLES = { author: "Author", admin: "Admin" };

function inviteForm({ call, account, token }: Visit, form: FormState = {}): Html {
  const hasMail = getRelay(call.platen) !== null;
  return html`<section><h2>Invite someone</h2>
<form class="stack" method="post" action="${PATH}">
${csrfField(token)}
<input type="hidden" name="do" value="invite">
${inputField(form, "for", "Note", {
  isOptional: true,
  hint: "Only you see this note. It can be the person’s name.",
  more: html`type="text" maxlength="${MAX_INVITATION_NOTE_LENGTH}" autocomplete="off"`,
})}
${selectField(form, "role", "Role", ROLES, {
  hint: "Authors write on their own blogs and see no other blogs. Admins also manage people and the server.",
})}
${
  hasMail &&
  inputField(form, "email", "Send the invitation by e-mail", {
    isOptional: true,
    hint: "Leave empty to get a link that you send yourself.",
    more: html`type="email" maxlength="254" autocomplete="off" placeholder="you@example.com"`,
  })
}
${passwordAgainField(call, account, "to invite someone", form.errors)}
<div class="actions"><button class="primary">${hasMail ? "Invite" : "Create link"}</button></div>
</form></section>`;
}

/** Shows the invitation link. No other page shows it. */
export function invitedMain(
  link: string,
  isAdmin: boolean,
  mailed: { email: string; failure: string | null } | null,
): Html {
  return html`<div class="page-head"><h1>Invited</h1></div>
${mailed && (mailed.failure === null ? html`<p role="status">The invitation was sent to ${mailed.email}.</p>` : html`<p class="wrong" role="alert">The e-mail to ${mailed.email} was not sent: ${mailed.failure}. Send the link yourself.</p>`)}
<p class="lead">${mailed?.failure === null ? "The e-mail contains this link." : "Send this link to the person you invite."} Anyone who has the link can become ${isAdmin ? "an admin" : "an author"} here. The link works once, expires after 7 days, and is shown <strong>only once</strong>.</p>
${copyField("link", "Link", link, 2)}
<div class="actions"><a class="button quiet" href="${PATH}">Back to people</a></div>`;
}

/** Values of the buttons for an account. */
export type PersonVerb = "admin" | "author" | "disable" | "enable" | "remove";

export function personMain({ call, token, times }: Visit, account: Account): Html {
  const { platen } = call;
  const { lastSeenAt } = personOf(platen, account);
  const blogs = blogsOf(platen, account);
  const verb = (name: PersonVerb, button: string, message: string) =>
    html`<li><div class="what"><p>${message}</p></div><form method="post">${csrfField(token)}<button class="${name === "remove" ? "danger" : "quiet"}" name="do" value="${name}">${button}</button></form></li>`;
  return html`${parentLink("/admin/people", "People")}
<div class="page-head"><h1><bdi>${account.name}</bdi></h1></div>
<p class="about facts">${roleBadge(account)}<span>${account.email}</span><span>joined ${times.near(account.createdAt)}</span>${lastSeenAt && html`<span>seen ${times.near(lastSeenAt)}</span>`}</p>
<h2>Blogs</h2>
${
  blogs.length === 0
    ? html`<p>None.</p>`
    : html`<ul class="rows">${blogs.map((one) => html`<li><div class="what"><a class="name" href="${blogUrl(platen, one)}">${one.title}</a><p class="about"><span>${blogUrl(platen, one)}</span>${one.pendingDomain && html`<span>requests ${one.pendingDomain}</span>`}</p></div>${one.pendingDomain && domainForm(one, token)}</li>`)}</ul>`
}
<h2>Manage account</h2>
<ul class="rows">
${account.isAdmin ? verb("author", "Make author", "Authors see only their own blogs.") : verb("admin", "Make admin", "Admins manage people and the server. They see only their own blogs.")}
${account.disabledAt ? verb("enable", "Enable", "Allows sign-in, keys and apps again.") : verb("disable", "Disable", "Signs the person out and blocks sign-in, keys and apps until you enable the account again. The person’s blogs stay online.")}
${verb("remove", "Remove…", "Removes the account and all its blogs.")}
</ul>`;
}

/** A form that allows a domain without a check, for servers that cannot reach themselves at the domain. */
function domainForm({ id, pendingDomain }: Blog, token: string): Html {
  return html`<form method="post">${csrfField(token)}<input type="hidden" name="blog" value="${id}"><input type="hidden" name="domain" value="${pendingDomain}"><button class="quiet" name="do" value="allow-domain">Allow domain</button></form>`;
}

export function makeAdminMain(
  { call, account: by, token }: Visit,
  account: Account,
  errors?: FieldErrors,
): Html {
  return html`<h1>Make <bdi>${account.name}</bdi> an admin?</h1>
<p class="lead">Admins manage people and the server.</p>
<form class="stack" method="post">
${csrfField(token)}
${passwordAgainField(call, by, "to make someone an admin", errors)}
<div class="actions"><button class="primary" name="do" value="admin">Make admin</button>
<a class="button quiet" href="/admin/people/${account.id}">Back</a></div>
</form>`;
}

export function removalMain(visit: Visit, account: Account): Html {
  const { platen } = visit.call;
  const blogs = blogsOf(platen, account);
  const path = `${PATH}/${account.id}`;
  return confirmationMain(visit, {
    question: html`Remove <bdi>${account.name}</bdi>`,
    lead: html`This removes the account ${account.email} with its keys, apps and blogs. A copy stays in the folder <code>removed</code> of the data folder until you delete it.`,
    items: blogs.map(
      (blog) =>
        html`<li><strong><bdi>${blog.title}</bdi></strong><span>${blogInNumbers(platen, blog)}</span></li>`,
    ),
    action: path,
    fields: { do: "remove", sure: "yes" },
    button: `Remove the account and ${counted(blogs.length, "blog")}`,
    back: path,
  });
}
