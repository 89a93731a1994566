import type { Account } from "../../accounts/accounts";
import { type ActRow, countAuditEvents, listAuditEvents } from "../../accounts/audit-log";
import { capitalize } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import type { AdminPage } from "../layout/admin-routes";
import { pageLinks, pageNumber, parentLink } from "../layout/page-controls";
import type { Visit } from "../layout/visit";

const ENTRIES_PER_PAGE = 50;

/** Of all accounts if `account` is null. */
export function activityPage(visit: Visit, account: Account | null): AdminPage {
  const { platen, url } = visit.call;
  const page = pageNumber(url.searchParams);
  const total = countAuditEvents(platen, account);
  const main = html`${account ? parentLink("/admin/account", "Your account") : parentLink("/admin/people", "People")}
<div class="page-head"><h1>Activity</h1></div>
<p class="lead">${account ? "Your actions, and changes that others made to your account," : "Actions of all people in the admin and on the command line"} in the last year, up to 10,000 entries.</p>
<ul class="rows">
${listAuditEvents(platen, account, page, ENTRIES_PER_PAGE).map((row) => actRow(visit, row))}
</ul>
${pageLinks(visit.call, total, ENTRIES_PER_PAGE)}`;
  return { title: "Activity", place: account ? "account" : "people", main };
}

function actRow({ times }: Visit, { act, about, by, times: count, createdAt }: ActRow): Html {
  return html`<li><div class="what"><strong class="name">${capitalize(act)}${count > 1 && ` ${count} times`}</strong>
<p class="about"><span>by ${by}</span>${about && html`<span><bdi>${about}</bdi></span>`}</p></div>
<p class="facts"><span>${times.near(createdAt)}</span></p></li>
`;
}
