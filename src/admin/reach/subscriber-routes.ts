import { inTransaction } from "../../database/transactions";
import { invalid, malformed, Refusal } from "../../errors";
import { inputField } from "../../http/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { localPath } from "../../http/responses/response";
import {
  addSubscriber,
  countSubscribers,
  listSubscribers,
  removeSubscriber,
  requireMailAddress,
  requireSubscriber,
  type Subscriber,
  type SubscriberState,
} from "../../newsletter/subscribers";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { importSubscribers, type SubscriberImport, subscriberLines } from "../../transfer/subscriber-files";
import { reachHead } from "../layout/admin-styles";
import {
  confirmationMain,
  pageLinks,
  pageNumber,
  parentLink,
  postForm,
  WITH_FILES,
  withParams,
} from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, downloadResponse, withForm } from "../layout/routing";
import { type AdminForm, type BlogVisit, blogPath, type FormFields, readAdminFiles } from "../layout/visit";

export const subscriberRoutes = blogRoutes({
  "GET /reach/subscribers": subscribersPage,
  "POST /reach/subscribers": withForm(changeSubscribers, subscribersPage),
  "POST /reach/subscribers/import": importFile,
  "GET /reach/subscribers/export": exportFile,
});

const SUBSCRIBERS_PER_PAGE = 50;

const STATE_LABELS: Record<SubscriberState, [words: string, mark: string]> = {
  confirmed: ["Subscribed", "live"],
  asked: ["Not confirmed", "scheduled"],
  bounced: ["Bounced", "failed"],
  left: ["Unsubscribed", ""],
};
const STATES = Object.keys(STATE_LABELS) as SubscriberState[];

function subscribersPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog } = visit;
  const { searchParams } = call.url;
  const path = blogPath(blog, "/reach/subscribers");
  const search = (searchParams.get("search") ?? "").trim().slice(0, 254);
  const state = STATES.find((one) => one === searchParams.get("state")) ?? "confirmed";
  const page = pageNumber(searchParams);
  const filter = search ? { search } : { state };
  const { rows, total } = listSubscribers(platen, blog, { ...filter, page, limit: SUBSCRIBERS_PER_PAGE });
  const main = html`${parentLink(blogPath(blog, "/reach"), "Reach")}
<div class="page-head"><h1>Subscribers</h1>
<div class="ways"><a class="button quiet" href="${path}/export">Export</a></div></div>
<form class="filter by-name" method="get" action="${path}" role="search">
<label class="spoken" for="search">Search addresses</label>
<input type="search" id="search" name="search" value="${search}" placeholder="Search addresses" autocomplete="off">
</form>
<div class="list-head"><nav class="tabs" aria-label="State">
${STATES.map((name) => html`<a href="${path}?state=${name}"${!search && name === state && html` aria-current="page"`}>${STATE_LABELS[name][0]} <span class="number">${countSubscribers(platen, blog, name)}</span></a>`)}
</nav></div>
${
  rows.length === 0
    ? html`<div class="empty"><h2>No subscribers</h2><p>${search ? "No address contains this text." : "Readers subscribe on your site. You can also import a list."}</p></div>`
    : html`${postForm(visit, "", path, { next: withParams(call, {}) })}
<ul class="rows">${rows.map((row) => subscriberRow(visit, row))}</ul></form>`
}
${pageLinks(call, total, SUBSCRIBERS_PER_PAGE)}
${addForm(visit, path)}
${importForm(visit, path)}`;
  return { title: "Subscribers", place: "reach", head: reachHead, main };
}

function subscriberRow({ times }: BlogVisit, subscriber: Subscriber): Html {
  const { id, address, state, language, confirmedAt, createdAt, leftAt } = subscriber;
  const [words, mark] = STATE_LABELS[state];
  const name = address ?? "Unsubscribed reader";
  return html`<li><div class="what"><span class="name"><bdi>${name}</bdi></span>
<p class="about"><span class="state ${mark}">${words}</span><span>${times.near(leftAt ?? confirmedAt ?? createdAt)}</span><span>${language}</span></p></div>
<button class="quiet" name="remove" value="${id}">Remove<span class="spoken"> ${name}</span></button></li>
`;
}

function addForm(visit: BlogVisit, path: string): Html {
  return html`<section class="settings"><h2>Add a subscriber</h2>
${postForm(visit, "stack", path)}
${inputField(visit.rejected ?? {}, "address", "E-mail address", {
  hint: "Add only people who have agreed to get the newsletter. People who unsubscribed are not added.",
  more: html`type="email" required maxlength="254" autocomplete="off"`,
})}
<div class="actions"><button class="quiet" name="do" value="add">Add</button></div>
</form></section>`;
}

function importForm(visit: BlogVisit, path: string): Html {
  return html`<section class="settings"><h2>Import</h2>
${postForm(visit, "stack", `${path}/import`, {}, WITH_FILES)}
<label class="tick"><input type="checkbox" name="agreed" value="yes" required> These people have agreed to get this newsletter</label>
${inputField({}, "file", "CSV file", {
  hint: "From Substack, Ghost, Buttondown or Mailchimp, or any file with an “email” column.",
  more: html`type="file" required accept=".csv,text/csv"`,
})}
<div class="actions"><button class="quiet">Import</button></div>
</form></section>`;
}

function removalPage(visit: BlogVisit, { id, address }: Subscriber, next: string): AdminPage {
  const main = confirmationMain(visit, {
    question: `Remove ${address ?? "this unsubscribed reader"}`,
    lead: `${address ? "Everything about this address will be deleted." : "Platen forgets that this reader unsubscribed, so a later import may add them again."} This can’t be undone.`,
    action: blogPath(visit.blog, "/reach/subscribers"),
    fields: { remove: id, sure: "yes", next },
    button: "Remove",
    back: next,
  });
  return { title: "Remove", place: "reach", head: reachHead, main };
}

const describeImport = (report: SubscriberImport) =>
  [
    `${counted(report.added, "subscriber")} added.`,
    report.present > 0 && `${report.present} already subscribed.`,
    report.left > 0 && `${report.left} unsubscribed earlier.`,
    report.inactive > 0 && `${report.inactive} inactive in the file.`,
    report.skipped > 0 && `${counted(report.skipped, "row")} skipped.`,
    report.errors[0],
  ]
    .filter(Boolean)
    .join(" ");

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
