import type { Account } from "../../accounts/accounts";
import { personOf } from "../../accounts/people";
import { type Blog, blogsOf } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { csrfField } from "../../owner/csrf";
import { passwordAgainField } from "../../owner/password-check";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { parentLink } from "../layout/list-controls";
import type { Visit } from "../layout/visit";
import { blogInNumbers } from "../removal/removal";
import { timesFor } from "../words/times";
import { roleBadge } from "./people-list-page";

/** The values of the buttons. */
export type PersonVerb = "admin" | "author" | "disable" | "enable" | "remove";

export function personMain({ call, blog, token }: Visit, account: Account): Html {
  const { platen } = call;
  const { lastSeenAt } = personOf(platen, account);
  const times = timesFor({ timeZone: blog?.timeZone ?? "UTC" }, platen.now());
  const blogs = blogsOf(platen, account);
  const verb = (name: PersonVerb, button: string, says: string) =>
    html`<li><div class="what"><p>${says}</p></div><form method="post">${csrfField(token)}<button class="${name === "remove" ? "danger" : "quiet"}" name="do" value="${name}">${button}</button></form></li>`;
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
${account.disabledAt ? verb("enable", "Enable", "They can sign in again, and their keys and apps work again.") : verb("disable", "Disable", "Signs them out and blocks sign-in, keys and apps until you enable them again. Their blogs stay online.")}
${verb("remove", "Remove…", "Removes the account and all its blogs.")}
</ul>`;
}

/** Allows the domain without a check, for servers that cannot reach themselves by it. */
function domainForm({ id, pendingDomain }: Blog, token: string): Html {
  return html`<form method="post">${csrfField(token)}<input type="hidden" name="blog" value="${id}"><input type="hidden" name="domain" value="${pendingDomain}"><button class="quiet" name="do" value="allow-domain">Allow domain</button></form>`;
}

export function makeAdminMain(
  { call, account: by, token }: Visit,
  account: Account,
  faults?: string[],
): Html {
  return html`<h1>Make <bdi>${account.name}</bdi> an admin?</h1>
<p class="lead">Admins manage people and the server.</p>
<form class="stack" method="post">
${csrfField(token)}
${passwordAgainField(call, by, "to make someone an admin", faults)}
<div class="actions"><button class="primary" name="do" value="admin">Make admin</button>
<a class="button quiet" href="/admin/people/${account.id}">Back</a></div>
</form>`;
}

export function removalMain({ call, token }: Visit, account: Account): Html {
  const { platen } = call;
  const blogs = blogsOf(platen, account);
  return html`<h1>Remove <bdi>${account.name}</bdi>?</h1>
<p class="lead">This removes the account ${account.email} with its keys, apps and blogs. A copy stays in the folder <code>removed</code> of the data folder until you delete it.</p>
<ul class="outcomes">
${blogs.map((blog) => html`<li><strong><bdi>${blog.title}</bdi></strong><span>${blogInNumbers(platen, blog)}</span></li>`)}
</ul>
<form class="actions" method="post">
${csrfField(token)}
<input type="hidden" name="do" value="remove">
<input type="hidden" name="sure" value="yes">
<button class="danger">Remove the account and ${counted(blogs.length, "blog")}</button>
<a class="button quiet" href="/admin/people/${account.id}">Back</a>
</form>`;
}
