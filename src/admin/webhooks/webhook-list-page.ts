import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { webhookHealth } from "../../webhooks/log/webhook-health";
import { plainlyRefused } from "../../webhooks/urls/refused-targets";
import { LONGEST_LIST, urlLines } from "../../webhooks/urls/url-lines";
import { listWebhooks, type Webhook } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { type Times, timesFor } from "../words/times";
import { answerWords, countedToMost, logPart } from "./delivery-rows";

/** What was typed and could not be saved. */
interface Typed {
  urls: string;
  before: string | null;
  faults: string[];
}

/** Where events go, one address a line; how each fares; what was sent. */
export async function webhooksMain(visit: BlogVisit, typed?: Typed): Promise<Html> {
  const { call, blog } = visit;
  const path = blogPath(blog, "/webhooks");
  const webhooks = listWebhooks(call.platen, blog);
  const times = timesFor(blog, call.platen.now());
  const urls = webhooks.map(({ url }) => url);
  const refused = await plainlyRefused(call.platen, blog, urls);
  return html`<div class="page-head"><h1>Webhooks</h1>
${blog.webhookSecret !== null && html`<div class="ways"><a class="button quiet" href="${path}/secret">Signing secret</a></div>`}</div>
<p class="lead">Each of these is told when something live is published, changed, taken back or deleted, so that a site can be built or a chat be told.</p>
${urlsForm(visit, path, typed)}
${
  webhooks.length > 0 &&
  html`<h2>How they fare</h2>
<ul class="rows webhooks">${webhooks.map((webhook) => webhookRow(visit, webhook, path, times, refused.get(webhook.url)))}</ul>`
}
${(webhooks.length > 0 || blog.webhookSecret !== null) && logPart(visit, path)}`;
}

function urlsForm({ call, blog, token }: BlogVisit, path: string, typed?: Typed): Html {
  const present = urlLines(call.platen, blog);
  const faults = typed?.faults ?? [];
  const described = html` aria-describedby="${faults.length > 0 ? "urls-fault " : ""}urls-hint"`;
  return html`<form class="stack" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="before" value="${typed?.before ?? present}">
<label for="urls">Webhook URLs, one per line</label>
${faults.length > 0 && html`<div class="fault" id="urls-fault" role="alert">${faults.map((fault) => html`<p>${faultSentence(fault)}</p>`)}</div>`}
<textarea id="urls" name="urls" rows="${Math.min(10, Math.max(4, present.split("\n").length + 1))}" maxlength="${LONGEST_LIST}" wrap="off" inputmode="url" autocapitalize="none" autocomplete="off" spellcheck="false"${described}${faults.length > 0 && html` aria-invalid="true"`}>
${typed?.urls ?? present}</textarea>
<p class="hint" id="urls-hint">With https:// where you can: what goes by http:// can be read on its way. A line that is taken out is told nothing more; its log stays.</p>
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}

/** A fault names its line, or is about them all. */
function faultSentence(fault: string): string {
  return fault.startsWith("line ") ? `Line ${fault.slice("line ".length)}.` : `The URLs ${fault}.`;
}

/** @param refused why nothing will be sent to it, where its address says so */
function webhookRow(
  { call, token }: BlogVisit,
  webhook: Webhook,
  path: string,
  times: Times,
  refused: string | undefined,
): Html {
  const { id, url, quietPeriod } = webhook;
  const { last, waiting, failed } = webhookHealth(call.platen, webhook);
  return html`<li><div class="what"><a class="name" href="${path}/${id}">${url}</a>
<p class="about">${webhookState(webhook, times)}
<span class="because">${last ? html`Last answer: ${answerWords(last)}, ${times.near(last.at)}` : "Nothing sent yet"}</span>
${waiting > 0 && html`<span>${countedToMost(waiting)} waiting</span>`}
${failed > 0 && html`<a href="${path}/${id}?log=failed">${countedToMost(failed)} failed</a>`}
${refused !== undefined && html`<span class="because">Nothing will be sent to it: ${refused}.</span>`}
${quietPeriod > 0 && html`<span>the last of several events only</span>`}</p></div>
${webhookButtons(webhook, `${path}/${id}`, token, path)}</li>
`;
}

/** On, paused, failing or off, and why. */
export function webhookState(
  { pausedAt, disabledAt, disabledBecause, failingSince }: Webhook,
  times: Times,
): Html {
  if (disabledAt)
    return html`<span class="state failed">Turned off ${times.near(disabledAt)}</span><span class="because">${disabledBecause}</span>`;
  if (pausedAt) return html`<span class="state scheduled">Paused ${times.near(pausedAt)}</span>`;
  if (failingSince) return html`<span class="state failed">Failing since ${times.full(failingSince)}</span>`;
  return html`<span class="state live">On</span>`;
}

/** What can be done with it now. @param next where to go on */
export function webhookButtons(
  { disabledAt, pausedAt, url }: Webhook,
  action: string,
  token: string,
  next: string,
): Html {
  const button = (value: string, words: string) =>
    html`<button class="quiet" name="do" value="${value}">${words}<span class="spoken"> to ${url}</span></button>`;
  return html`<form class="ways" method="post" action="${action}">${csrfField(token)}<input type="hidden" name="next" value="${next}">
${disabledAt ? button("enable", "Turn on") : pausedAt ? button("resume", "Resume") : html`${button("test", "Send a test")}${button("pause", "Pause")}`}</form>`;
}
