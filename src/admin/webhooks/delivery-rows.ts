import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { grouped } from "../../text/numbers";
import type { Attempt } from "../../webhooks/log/deliveries-in-order";
import { type BlogDelivery, blogDeliveries } from "../../webhooks/log/deliveries-in-order";
import { MOST_COUNTED } from "../../webhooks/log/webhook-health";
import type { Webhook } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";

/** Deliveries on a page. */
const ON_A_PAGE = 25;

/** What to say of each state, and how it is marked. */
const STATES: Record<BlogDelivery["delivery"]["state"], [words: string, mark: string]> = {
  pending: ["Waits", "scheduled"],
  sending: ["Being sent", "scheduled"],
  delivered: ["Delivered", "live"],
  failed: ["Failed", "failed"],
  folded: ["Folded into a later one", ""],
  dropped: ["Not sent: the URL was off", "failed"],
};

/** The log of a blog, or of one address of it, as the page's query asks for it. @param here the page */
export function logPart(visit: BlogVisit, here: string, webhook?: Webhook): Html {
  const { call, blog, token } = visit;
  const { searchParams } = call.url;
  const isFailed = searchParams.get("log") === "failed";
  const before = idIn(searchParams.get("before"));
  const asked = { webhookId: webhook?.id, isFailed, before, limit: ON_A_PAGE };
  const { rows, goesOn } = blogDeliveries(call.platen, blog, asked);
  const times = timesFor(blog, call.platen.now());
  const list = `${here}${isFailed ? "?log=failed" : ""}`;
  const older = `${list}${isFailed ? "&" : "?"}before=${rows.at(-1)?.delivery.id}`;
  const next = call.url.pathname + call.url.search;
  return html`<h2 id="log">Log</h2>
<p>Every delivery of the last 30 days, the newest first.</p>
<div class="list-head"><nav class="tabs" aria-label="Which deliveries">
<a href="${here}"${!isFailed && html` aria-current="page"`}>All</a>
<a href="${here}?log=failed"${isFailed && html` aria-current="page"`}>Failed</a>
</nav>
${
  isFailed &&
  rows.length > 0 &&
  html`<form method="post" action="${blogPath(blog, "/webhooks/log")}">${csrfField(token)}<input type="hidden" name="next" value="${here}"><button class="quiet" name="again" value="failed">Send all failed again</button></form>`
}</div>
${
  rows.length === 0
    ? html`<div class="empty"><h3>${isFailed ? "None failed" : "Nothing was sent yet"}</h3>
<p>${isFailed ? "Whatever was sent has arrived." : "Publish, change or delete a post, or send a test."}</p></div>`
    : html`<ul class="rows deliveries">${rows.map((row) => deliveryRow(visit, row, times, next, webhook === undefined))}</ul>`
}
${
  (before !== undefined || goesOn) &&
  html`<nav class="page-links" aria-label="Pages of the log">
${before === undefined ? html`<span></span>` : html`<a class="button quiet" href="${list}">Newest</a>`}
${goesOn ? html`<a class="button quiet" rel="next" href="${older}">Older</a>` : html`<span></span>`}
</nav>`
}`;
}

function deliveryRow(
  { blog, token }: BlogVisit,
  row: BlogDelivery,
  times: Times,
  next: string,
  isUrlShown: boolean,
): Html {
  const { delivery, event, webhook, last } = row;
  return html`<li><div class="what"><a class="name" href="${blogPath(blog, `/webhooks/log/${delivery.id}`)}">${event.name}${titleIn(event.payload)}</a>
<p class="about">${deliveryState(row)}<span>${times.near(event.occurredAt)}</span>${last && html`<span class="because">${answerWords(last)}</span>`}${delivery.dueAt && delivery.failures > 0 && html`<span class="because">tried again ${times.near(delivery.dueAt)}</span>`}</p>
${isUrlShown && html`<p class="about whole"><span>${webhook.url}</span></p>`}</div>
${mayBeSentAgain(row) && againForm(blogPath(blog, "/webhooks/log"), token, delivery.id, next)}</li>
`;
}

/** A button for one. @param next where to go on */
export function againForm(action: string, token: string, id: number, next: string): Html {
  return html`<form method="post" action="${action}">${csrfField(token)}<input type="hidden" name="next" value="${next}"><button class="quiet" name="again" value="${id}">Send again<span class="spoken"> delivery ${id}</span></button></form>`;
}

export function mayBeSentAgain({ delivery, webhook }: BlogDelivery): boolean {
  return !webhook.removedAt && !webhook.disabledAt && delivery.state !== "sending";
}

export function deliveryState({ delivery, webhook }: BlogDelivery): Html {
  const [words, mark] = STATES[delivery.state];
  const isRetried = delivery.state === "pending" && delivery.failures > 0;
  const isHeld = delivery.state === "pending" && webhook.pausedAt !== null;
  return html`<span class="state ${isRetried ? "failed" : mark}">${isRetried ? "Failed so far" : words}${isHeld && ", the URL is paused"}</span>`;
}

/** "200 in 120 ms", or why there was no answer. */
export function answerWords({ status, failure, duration }: Attempt): string {
  if (status === null) return failure ?? "no answer";
  return `${status} in ${duration < 1000 ? `${duration} ms` : `${(duration / 1000).toFixed(1)} s`}${failure ? `: ${failure}` : ""}`;
}

/** "12", or "1,000 and more". */
export function countedToMost(number: number): string {
  return number >= MOST_COUNTED ? `${grouped(MOST_COUNTED)} and more` : String(number);
}

function titleIn(payload: string): string {
  const { post } = JSON.parse(payload) as { post: { title: string; slug: string } };
  return `: ${post.title || post.slug}`;
}

function idIn(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** The number that an address ends with; 0, which nothing has, where it is none. */
export function idAtEnd(path: string): number {
  return idIn(path.slice(path.lastIndexOf("/") + 1)) ?? 0;
}
