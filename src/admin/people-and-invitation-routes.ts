import { type Account, accountById, assertOtherAdmin } from "../accounts/accounts";
import {
  countPeople,
  disableAccount,
  enableAccount,
  type Invitation,
  invite,
  listPeople,
  MAX_INVITATION_NOTE_LENGTH,
  makeAdmin,
  makeAuthor,
  type Person,
  pendingInvitations,
  personOf,
  revokeInvitation,
} from "../accounts/people-and-invitations";
import { usePendingDomain } from "../blogs/blog-addresses";
import { type Blog, blogsOf, blogUrl } from "../blogs/blogs";
import { isMailAddress } from "../config/mail-settings";
import { inTransaction } from "../database/transactions";
import { forbidden, invalid, requireFound } from "../errors";
import { type FormState, formError, inputField, selectField } from "../http/form-field";
import { getRelay } from "../mail/relay-settings";
import { mailInvitation } from "../notices/invitation-mail";
import { isPasswordRecent, passwordAgainField, requireRecentPassword } from "../owner/password-confirmation";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { activityPage } from "./account-and-activity-routes";
import {
  confirmationMain,
  copyField,
  pageLinks,
  pageNumber,
  parentLink,
  postForm,
} from "./layout/page-controls";
import { type AdminPage, type AdminResult, serverRoutes, withActions, withForm } from "./layout/routing";
import { type AdminForm, actionNamed, idIn, type Visit } from "./layout/visit";
import { blogInNumbers, startRemoval } from "./new-blog-and-removal-routes";

const PEOPLE = "/admin/people";

export const peopleRoutes = serverRoutes({
  "GET /people": peoplePage,
  "POST /people": withActions({ invite: inviteByForm, revoke }, peoplePage),
  "GET /people/log": (visit) => activityPage(visit, null),
  "GET /people/:id": personPage,
  "POST /people/:id": withForm(changePerson, (visit, id) =>
    visit.rejected?.errors.domain ? personPage(visit, id) : makeAdminPage(visit, id),
  ),
});

const inPeople = (main: Html, title = "People"): AdminPage => ({ title, place: "people", main });

function revoke({ platen, account }: Visit, form: AdminForm) {
  const isRevoked = revokeInvitation(platen, idIn(form.get("id")), account);
  return isRevoked ? "Invitation revoked." : "The invitation was already used or revoked.";
}

async function inviteByForm(visit: Visit, form: AdminForm): Promise<AdminPage> {
  const { platen, account } = visit;
  const email = form.text("email").trim();
  const isAdmin = form.text("role") === "admin";
  await requireRecentPassword(visit, form);
  if (email && !isMailAddress(email)) throw invalid({ email: ["must be like you@example.com"] });
  const link = invite(platen, { invitedBy: account, forWhom: form.text("for") || email, isAdmin });
  const failure = email ? await mailInvitation(platen, { to: email, link, from: account }) : null;
  const isMailed = email !== "" && failure === null;
  const main = html`<div class="page-head"><h1>Invited</h1></div>
${isMailed && html`<p role="status">The invitation was sent to ${email}.</p>`}
${failure !== null && html`<p class="wrong" role="alert">The e-mail to ${email} was not sent: ${failure}. Send the link yourself.</p>`}
<p class="lead">${isMailed ? "The e-mail contains this link." : "Send this link to the person you invite."} Anyone who has the link can become ${isAdmin ? "an admin" : "an author"} here. The link works once, expires after 7 days, and is shown <strong>only once</strong>.</p>
${copyField("link", "Link", link, 2)}
<div class="actions"><a class="button quiet" href="${PEOPLE}">Back to people</a></div>`;
  return inPeople(main, "Invited");
}

const CHANGES: Record<
  Exclude<PersonVerb, "remove">,
  { change: (platen: Platen, account: Account, by: Account) => void; message: string }
> = {
  admin: { change: makeAdmin, message: "is now an admin." },
  author: { change: makeAuthor, message: "is now an author." },
  disable: { change: disableAccount, message: "is disabled." },
  enable: { change: enableAccount, message: "can sign in again." },
};

async function changePerson(visit: Visit, form: AdminForm, id: number): Promise<AdminResult> {
  const account = requirePerson(visit, id);
  const verb = form.text("do");
  if (account.id === visit.account.id)
    throw forbidden("You can’t change your own account here. Ask another admin, or use the command line.");
  if (verb === "remove") return removePerson(visit, account, form.get("sure") === "yes");
  if (verb === "allow-domain") return allowDomain(visit, account, form);
  const { change, message } = actionNamed(CHANGES, verb);
  if (verb === "admin" && !isPasswordRecent(visit)) {
    // The previous page has no password field, so a missing password is not an error yet.
    if (!form.has("password_again")) return makeAdminPage(visit, id);
    await requireRecentPassword(visit, form);
  }
  change(visit.platen, account, visit.account);
  return `${account.name} ${message}`;
}

function allowDomain({ platen, account: by }: Visit, account: Account, form: AdminForm) {
  const id = idIn(form.get("blog"));
  const blog = requireFound(
    blogsOf(platen, account).find((each) => each.id === id),
    "blog",
  );
  const url = inTransaction(platen, () => usePendingDomain(platen, blog, form.text("domain"), by));
  return `The blog is at ${url}`;
}

function removePerson(visit: Visit, account: Account, isSure: boolean): AdminResult {
  const { id, name, email } = account;
  if (isSure) {
    assertOtherAdmin(visit.platen, account);
    return { location: `/admin/jobs/${startRemoval(visit, { account: id, title: name })}` };
  }
  const blogs = blogsOf(visit.platen, account);
  const path = `${PEOPLE}/${id}`;
  const main = confirmationMain(visit, {
    question: html`Remove <bdi>${name}</bdi>`,
    lead: html`This removes the account ${email} with its keys, apps and blogs. A copy stays in the folder <code>removed</code> of the data folder until you delete it.`,
    items: blogs.map(
      (blog) =>
        html`<li><strong><bdi>${blog.title}</bdi></strong><span>${blogInNumbers(visit.platen, blog)}</span></li>`,
    ),
    action: path,
    fields: { do: "remove", sure: "yes" },
    button: `Remove the account and ${counted(blogs.length, "blog")}`,
    back: path,
  });
  return inPeople(main);
}

function requirePerson({ platen }: Visit, id: number): Account {
  return requireFound(accountById(platen, id), "account");
}

const PEOPLE_PER_PAGE = 30;

function peoplePage(visit: Visit): AdminPage {
  const { platen, url } = visit.call;
  const page = pageNumber(url.searchParams);
  const total = countPeople(platen);
  return inPeople(html`<div class="page-head"><h1>People</h1>
<div class="ways"><a class="button quiet" href="${PEOPLE}/log">Activity</a></div></div>
<p class="count">${counted(total, "account")}</p>
<ul class="rows">
${listPeople(platen, page, PEOPLE_PER_PAGE).map((person) => personRow(visit, person))}
</ul>
${pageLinks(visit.call, total, PEOPLE_PER_PAGE)}
${pendingList(visit)}
${inviteForm(visit)}`);
}

function personRow(visit: Visit, { account, blogs, lastSeenAt }: Person): Html {
  const isSelf = account.id === visit.account.id;
  return html`<li><div class="what"><a class="name" href="${isSelf ? "/admin/account" : `${PEOPLE}/${account.id}`}"><bdi>${account.name}</bdi></a>
<p class="about">${roleBadge(account)}${isSelf && html`<span>you</span>`}<span>${account.email}</span></p></div>
<p class="facts"><span>${counted(blogs, "blog")}</span>${lastSeenAt && html`<span>seen ${visit.times.near(lastSeenAt)}</span>`}</p></li>
`;
}

function roleBadge({ isAdmin, disabledAt }: Person["account"]): Html {
  if (disabledAt) return html`<span class="state">Disabled</span>`;
  return isAdmin ? html`<span class="state live">Admin</span>` : html`<span class="state">Author</span>`;
}

function pendingList(visit: Visit): Html | null {
  const pending = pendingInvitations(visit.platen);
  if (pending.length === 0) return null;
  return html`<section><h2>Invited</h2>
<ul class="rows">
${pending.map((one) => pendingRow(visit, one))}
</ul></section>`;
}

function pendingRow(visit: Visit, invitation: Invitation): Html {
  const { times } = visit;
  const { id, forWhom, isAdmin, createdAt, expiresAt } = invitation;
  const name = forWhom || "Anyone with the link";
  return html`<li><div class="what"><strong class="name"><bdi>${name}</bdi></strong>
<p class="about"><span>as ${isAdmin ? "admin" : "author"}</span><span>invited ${times.near(createdAt)}</span><span>expires ${times.full(expiresAt)}</span></p></div>
${postForm(visit, "", PEOPLE, { do: "revoke", id })}<button class="quiet">Revoke<span class="spoken"> the invitation: ${name}</span></button></form></li>`;
}

const ROLES = { author: "Author", admin: "Admin" };

function inviteForm(visit: Visit): Html {
  const form: FormState = visit.rejected ?? {};
  const hasMail = getRelay(visit.platen) !== null;
  return html`<section><h2>Invite someone</h2>
${postForm(visit, "stack", PEOPLE, { do: "invite" })}
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
${passwordAgainField(visit, "to invite someone")}
<div class="actions"><button class="primary">${hasMail ? "Invite" : "Create link"}</button></div>
</form></section>`;
}

type PersonVerb = "admin" | "author" | "disable" | "enable" | "remove";

function personPage(visit: Visit, id: number): AdminPage {
  const { platen, times, rejected } = visit;
  const account = requirePerson(visit, id);
  const { lastSeenAt } = personOf(platen, account);
  const blogs = blogsOf(platen, account);
  const verb = (name: PersonVerb, button: string, message: string) =>
    html`<li><div class="what"><p>${message}</p></div>${postForm(visit, "")}<button class="${name === "remove" ? "danger" : "quiet"}" name="do" value="${name}">${button}</button></form></li>`;
  return inPeople(html`${parentLink(PEOPLE, "People")}
<div class="page-head"><h1><bdi>${account.name}</bdi></h1></div>
<p class="about facts">${roleBadge(account)}<span>${account.email}</span><span>joined ${times.near(account.createdAt)}</span>${lastSeenAt && html`<span>seen ${times.near(lastSeenAt)}</span>`}</p>
${rejected?.errors.domain?.map((error) => formError(`Domain ${error}.`))}
<h2>Blogs</h2>
${
  blogs.length === 0
    ? html`<p>None.</p>`
    : html`<ul class="rows">${blogs.map((one) => html`<li><div class="what"><a class="name" href="${blogUrl(platen, one)}">${one.title}</a><p class="about"><span>${blogUrl(platen, one)}</span>${one.pendingDomain && html`<span>requests ${one.pendingDomain}</span>`}</p></div>${one.pendingDomain && domainForm(visit, one)}</li>`)}</ul>`
}
<h2>Manage account</h2>
<ul class="rows">
${account.isAdmin ? verb("author", "Make author", "Authors see only their own blogs.") : verb("admin", "Make admin", "Admins manage people and the server. They see only their own blogs.")}
${account.disabledAt ? verb("enable", "Enable", "Allows sign-in, keys and apps again.") : verb("disable", "Disable", "Signs the person out and blocks sign-in, keys and apps until you enable the account again. The person’s blogs stay online.")}
${verb("remove", "Remove…", "Removes the account and all its blogs.")}
</ul>`);
}

/** Allows the domain without a check, because some servers cannot reach themselves at their own domain. */
function domainForm(visit: Visit, { id, pendingDomain }: Blog): Html {
  return html`${postForm(visit, "", undefined, { blog: id, domain: pendingDomain ?? "" })}<button class="quiet" name="do" value="allow-domain">Allow domain</button></form>`;
}

function makeAdminPage(visit: Visit, id: number): AdminPage {
  const account = requirePerson(visit, id);
  return inPeople(html`<h1>Make <bdi>${account.name}</bdi> an admin?</h1>
<p class="lead">Admins manage people and the server.</p>
${postForm(visit, "stack")}
${passwordAgainField(visit, "to make someone an admin")}
<div class="actions"><button class="primary" name="do" value="admin">Make admin</button>
<a class="button quiet" href="/admin/people/${account.id}">Back</a></div>
</form>`);
}
