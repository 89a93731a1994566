import {
  type Attempt,
  type BlogDelivery,
  blogDelivery,
  listBlogDeliveries,
  MAX_COUNTED,
  redeliver,
  redeliverFailed,
  willRetry,
} from "../deliveries/delivery-log-and-redelivery";
import { malformed } from "../errors";
import { localPath } from "../http/responses/response";
import { type Html, html } from "../text/html";
import { counted, grouped } from "../text/numbers";
import { requestHeaders, webhookChannel } from "../webhooks/webhook-channel";
import type { Webhook } from "../webhooks/webhook-urls";
import { pageLink, pageNav, parentLink, postForm, withParams } from "./layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "./layout/routing";
import { type AdminForm, type BlogVisit, blogPath, idIn } from "./layout/visit";

export const webhookDeliveryLogRoutes = blogRoutes({
  "POST /webhooks/log": withForm(resendDeliveries),
  "GET /webhooks/log/:id": deliveryPage,
});

const DELIVERIES_PER_PAGE = 25;

const DELIVERY_STATES: Record<BlogDelivery["delivery"]["state"], [words: string, mark: string]> = {
  pending: ["Pending", "scheduled"],
  sending: ["Sending", "scheduled"],
  delivered: ["Delivered", "live"],
  failed: ["Failed", "failed"],
  folded: ["Merged into a later event", ""],
  dropped: ["Not sent: the URL was turned off", "failed"],
  unsure: ["May not have arrived", "failed"],
};

export function deliveryLog(visit: BlogVisit, here: string, webhook?: Webhook): Html {
  const { call, platen, blog } = visit;
  const { searchParams } = call.url;
  const isFailed = searchParams.get("log") === "failed";
  const before = idIn(searchParams.get("before")) || undefined;
  const filter = { channel: webhookChannel, receiverId: webhook?.id, isFailed, before };
  const { rows, hasMore } = listBlogDeliveries(platen, blog, { ...filter, limit: DELIVERIES_PER_PAGE });
  const older = withParams(call, { before: rows.at(-1)?.delivery.id ?? null });
  const next = call.url.pathname + call.url.search;
  return html`<h2 id="log">Log</h2>
<p>Deliveries of the last 30 days, newest first.</p>
<div class="list-head"><nav class="tabs" aria-label="Filter">
<a href="${here}"${!isFailed && html` aria-current="page"`}>All</a>
<a href="${here}?log=failed"${isFailed && html` aria-current="page"`}>Failed</a>
</nav>
${
  isFailed &&
  rows.length > 0 &&
  html`${postForm(visit, "", blogPath(blog, "/webhooks/log"), { next: here })}<button class="quiet" name="again" value="failed">Retry all failed</button></form>`
}</div>
${
  rows.length === 0
    ? html`<div class="empty"><h3>${isFailed ? "All caught up" : "Nothing sent yet"}</h3>
<p>${isFailed ? "No failed deliveries." : "Publish, change or delete a post, or send a test."}</p></div>`
    : html`<ul class="rows deliveries">${rows.map((row) => deliveryRow(visit, row, next, webhook === undefined))}</ul>`
}
${pageNav(before !== undefined && pageLink("Newest", withParams(call, { before: null })), hasMore && pageLink("Older", older, "next"))}`;
}

function deliveryRow(visit: BlogVisit, row: BlogDelivery, next: string, isUrlShown: boolean): Html {
  const { blog, times } = visit;
  const { delivery, event, receiver, last } = row;
  return html`<li><div class="what"><a class="name" href="${blogPath(blog, `/webhooks/log/${delivery.id}`)}">${event.name}${eventTitle(event.payload)}</a>
<p class="about">${deliveryState(row)}<span>${times.near(event.occurredAt)}</span>${last && html`<span class="because">${describeResponse(last)}</span>`}${delivery.dueAt && delivery.failures > 0 && html`<span class="because">next attempt ${times.near(delivery.dueAt)}</span>`}</p>
${isUrlShown && html`<p class="about whole"><span>${receiver.url}</span></p>`}</div>
${resendForm(visit, row, next)}</li>
`;
}

function resendForm(visit: BlogVisit, { delivery, receiver }: BlogDelivery, next: string): Html | null {
  const { id, state } = delivery;
  if (receiver.removedAt || receiver.disabledAt || state === "sending") return null;
  return html`${postForm(visit, "", blogPath(visit.blog, "/webhooks/log"), { next })}<button class="quiet" name="again" value="${id}">Send again<span class="spoken"> delivery ${id}</span></button></form>`;
}

function deliveryState({ delivery, receiver }: BlogDelivery): Html {
  const [words, mark] = DELIVERY_STATES[delivery.state];
  const isRetried = willRetry(delivery);
  const isHeld = delivery.state === "pending" && receiver.pausedAt !== null;
  return html`<span class="state ${isRetried ? "failed" : mark}">${isRetried ? "Failed, will retry" : words}${isHeld && ", URL paused"}</span>`;
}

export function describeResponse({ status, failure, duration }: Attempt): string {
  if (status === null) return failure ?? "no response";
  return `${status} in ${duration < 1000 ? `${duration} ms` : `${(duration / 1000).toFixed(1)} s`}${failure ? `: ${failure}` : ""}`;
}

export function cappedCount(number: number): string {
  return number >= MAX_COUNTED ? `${grouped(MAX_COUNTED)}+` : String(number);
}

function eventTitle(payload: string): string {
  const { post } = JSON.parse(payload) as { post: { title: string; slug: string } };
  return `: ${post.title || post.slug}`;
}

function deliveryPage(visit: BlogVisit, id: number): AdminPage {
  const { platen, blog, times } = visit;
  const found = blogDelivery(platen, blog, id);
  const { delivery, event, receiver: webhook, attempts } = found;
  const path = blogPath(blog, "/webhooks");
  const main = html`${parentLink(`${path}#log`, "Webhooks")}
<div class="page-head"><h1>${event.name}</h1>
${resendForm(visit, found, `${path}/log/${delivery.id}`)}</div>
<p class="about">${deliveryState(found)}<span>happened ${times.near(event.occurredAt)}</span>
${delivery.dueAt && html`<span>${delivery.attempts > 0 ? "next attempt" : "due"} ${times.near(delivery.dueAt)}</span>`}</p>
<p class="about whole">${webhook.removedAt ? html`<span>${webhook.url} (removed)</span>` : html`<a href="${path}/${webhook.id}">${webhook.url}</a>`}</p>
${webhook.disabledAt && !webhook.removedAt && html`<p>This URL is turned off. Turn the URL on to send this event again.</p>`}
<h2>Payload</h2>
<pre tabindex="0" aria-label="Body of the request"><code>${JSON.stringify(JSON.parse(event.payload), null, 2)}</code></pre>
<h2>${attempts.length === 0 ? "No attempts yet" : counted(attempts.length, "attempt")}</h2>
${attempts.toReversed().map((attempt, at) => attemptPart(attempt, attempts.length - at, at === 0, found))}`;
  return { title: "Delivery", place: "webhooks", main };

  function attemptPart(attempt: Attempt, number: number, isOpen: boolean, of: BlogDelivery): Html {
    const headers = Object.entries(requestHeaders(of, attempt));
    return html`<details class="attempt"${isOpen && html` open`}><summary>Attempt ${number}: ${describeResponse(attempt)}, ${times.full(attempt.at)}</summary>
<h3>Request</h3>
<pre tabindex="0" aria-label="Request of attempt ${number}"><code>POST ${webhook.url}
${headers.map(([name, value]) => `${name}: ${value}\n`).join("")}
${event.payload}</code></pre>
<h3>Response</h3>
${
  attempt.status === null
    ? html`<p>No response: ${attempt.failure}</p>`
    : html`<p>${attempt.status} after ${attempt.duration} ms${attempt.failure && `: ${attempt.failure}`}</p>
${attempt.answer === "" ? html`<p class="about">The body is empty.</p>` : html`<pre tabindex="0" aria-label="Response to attempt ${number}"><code>${attempt.answer}</code></pre>`}`
}
</details>`;
  }
}

const START_OF_TIME = new Date(0);

function resendDeliveries({ platen, blog }: BlogVisit, form: AdminForm) {
  const location = localPath(form.get("next")) ?? blogPath(blog, "/webhooks");
  if (form.get("again") === "failed") {
    const count = redeliverFailed(platen, webhookChannel, START_OF_TIME, blog);
    const words = `Sending ${counted(count, "delivery", "deliveries")} again.`;
    return { location, toast: count === 0 ? "There are no failed deliveries to send again." : words };
  }
  const id = idIn(form.get("again"));
  if (id === 0) throw malformed("Choose a delivery to send again.");
  const { delivery, receiver } = blogDelivery(platen, blog, id);
  redeliver(platen, delivery.id);
  return {
    location,
    toast: receiver.pausedAt ? "It will be sent again when you resume the URL." : "Sending again.",
  };
}
