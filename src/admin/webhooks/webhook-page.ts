import { durationText } from "../../config/units";
import { receiverHealth } from "../../deliveries/receiver-health";
import { conflict } from "../../errors";
import { type FormState, NO_CORRECTIONS, selectField, textField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { findRefusedIpTargets } from "../../webhooks/target-check";
import { formatUrlList, MAX_URL_LIST_LENGTH } from "../../webhooks/url-list";
import { listWebhooks, type Webhook } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import { copyField, parentLink, switchControl } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { cappedCount, deliveryLog, describeResponse } from "./delivery-log-page";

export async function webhooksMain(visit: BlogVisit, rejected?: FormState): Promise<Html> {
  const { call, blog } = visit;
  const path = blogPath(blog, "/webhooks");
  const webhooks = listWebhooks(call.platen, blog);
  const urls = webhooks.map(({ url }) => url);
  const refused = await findRefusedIpTargets(call.platen, blog, urls);
  return html`<div class="page-head"><h1>Webhooks</h1>
${blog.webhookSecret !== null && html`<div class="ways"><a class="button quiet" href="${path}/secret">Signing secret</a></div>`}</div>
<p class="lead">Called when a post is published, updated, unpublished or deleted${blog.kommentEvents && ", and when someone writes a komment"}.</p>
${urlsForm(visit, path, rejected)}
${
  webhooks.length > 0 &&
  html`<h2>Status</h2>
<ul class="rows webhooks">${webhooks.map((webhook) => webhookRow(visit, webhook, path, refused.get(webhook.url)))}</ul>`
}
${(webhooks.length > 0 || blog.webhookSecret !== null) && deliveryLog(visit, path)}`;
}

function urlsForm({ call, blog, token }: BlogVisit, path: string, rejected?: FormState): Html {
  const urls = formatUrlList(call.platen, blog);
  const stored = { urls, before: urls, komments: blog.kommentEvents ? "on" : "" };
  const { values = stored, errors }: FormState = rejected ?? {};
  return html`<form class="stack" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="before" value="${values.before}">
${textField({ values }, "urls", "Webhook URLs, one per line", {
  sentences: errors?.urls?.map(errorSentence),
  hint: "Use https:// if you can: http:// can be read in transit. Removing a line stops its deliveries; its log stays.",
  more: html`rows="${Math.min(10, Math.max(4, urls.split("\n").length + 1))}" maxlength="${MAX_URL_LIST_LENGTH}" wrap="off" inputmode="url" ${NO_CORRECTIONS}`,
})}
${switchControl("komments", "Also send new komments", values.komments === "on", html`As the event <code>komment.created</code>.`)}
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}

/** Formats an error, which names a line or concerns all URLs. */
function errorSentence(error: string): string {
  return error.startsWith("line ") ? `Line ${error.slice("line ".length)}.` : `The URLs ${error}.`;
}

/** @param refused the reason if deliveries to this URL are not allowed */
function webhookRow(
  { call, token, times }: BlogVisit,
  webhook: Webhook,
  path: string,
  refused: string | undefined,
): Html {
  const { id, url, quietPeriod } = webhook;
  const { last, waiting, failed } = receiverHealth(call.platen, webhook);
  return html`<li><div class="what"><a class="name" href="${path}/${id}">${url}</a>
<p class="about">${webhookStateBadge(webhook, times)}
<span class="because">${last ? html`Last response: ${describeResponse(last)}, ${times.near(last.at)}` : "Nothing sent yet"}</span>
${waiting > 0 && html`<span>${cappedCount(waiting)} pending</span>`}
${failed > 0 && html`<a href="${path}/${id}?log=failed">${cappedCount(failed)} failed</a>`}
${refused !== undefined && html`<span class="because">Nothing will be sent: ${refused}.</span>`}
${quietPeriod > 0 && html`<span>only the last of several events</span>`}</p></div>
${webhookButtons(webhook, `${path}/${id}`, token, path)}</li>
`;
}

function webhookStateBadge(
  { pausedAt, disabledAt, disabledBecause, failingSince }: Webhook,
  times: BlogVisit["times"],
): Html {
  if (disabledAt)
    return html`<span class="state failed">Turned off ${times.near(disabledAt)}</span><span class="because">${disabledBecause}</span>`;
  if (pausedAt) return html`<span class="state scheduled">Paused ${times.near(pausedAt)}</span>`;
  if (failingSince) return html`<span class="state failed">Failing since ${times.full(failingSince)}</span>`;
  return html`<span class="state live">On</span>`;
}

/** @param next path to redirect to afterwards */
function webhookButtons(
  { disabledAt, pausedAt, url }: Webhook,
  action: string,
  token: string,
  next: string,
): Html {
  const button = (value: string, words: string) =>
    html`<button class="quiet" name="do" value="${value}">${words}<span class="spoken">: ${url}</span></button>`;
  return html`<form class="ways" method="post" action="${action}">${csrfField(token)}<input type="hidden" name="next" value="${next}">
${disabledAt ? button("enable", "Turn on") : pausedAt ? button("resume", "Resume") : html`${button("test", "Send a test")}${button("pause", "Pause")}`}</form>`;
}

/** Debounce windows, with the same values as `platen webhook add --quiet`. */
const QUIET_PERIODS: Record<string, string> = {
  "0": "Send every event",
  "30s": "Send only the last one, after 30 seconds without events",
  "1m": "Send only the last one, after a minute without events",
  "2m": "Send only the last one, after 2 minutes without events",
  "5m": "Send only the last one, after 5 minutes without events",
  "15m": "Send only the last one, after 15 minutes without events",
  "1h": "Send only the last one, after an hour without events",
};

export function webhookMain(visit: BlogVisit, webhook: Webhook): Html {
  const { call, blog, token, times } = visit;
  const path = blogPath(blog, "/webhooks");
  const here = `${path}/${webhook.id}`;
  const { last, waiting, failed } = receiverHealth(call.platen, webhook);
  return html`${parentLink(path, "Webhooks")}
<h1 class="address">${webhook.url}</h1>
<p class="about">${webhookStateBadge(webhook, times)}
<span class="because">${last ? html`Last response: ${describeResponse(last)}, ${times.near(last.at)}` : "Nothing sent yet"}</span>
<span>${cappedCount(waiting)} pending</span><span>${cappedCount(failed)} failed</span></p>
${webhookButtons(webhook, here, token, here)}
${webhook.url.startsWith("http:") && html`<p class="hint">Requests to http:// are not encrypted and can be read in transit.</p>`}
<h2>Several events in a row</h2>
<form class="stack" method="post" action="${here}">
${csrfField(token)}
<input type="hidden" name="next" value="${here}">
${quietField(webhook)}
<div class="actions"><button class="quiet" name="do" value="quiet">Save</button></div>
</form>
${deliveryLog(visit, here, webhook)}`;
}

function quietField({ quietPeriod }: Webhook): Html {
  const quiet = quietPeriod === 0 ? "0" : durationText(quietPeriod);
  const other = { [quiet]: `Send only the last one, after ${quiet} without events` };
  const periods = { ...other, ...QUIET_PERIODS };
  return selectField({ values: { quiet } }, "quiet", "When several events follow each other", periods, {
    hint: "Useful for site builds: twenty edits cause one build. If events keep coming, one is sent after ten times this delay.",
  });
}

/** @throws Refusal (conflict) if there is no secret yet */
export function secretMain({ call, blog, token, times }: BlogVisit): Html {
  const { webhookSecret, formerSecretUntil } = blog;
  if (!webhookSecret) throw conflict("The secret is created with the first webhook URL. Save one first.");
  const path = blogPath(blog, "/webhooks");
  const isOldSecretValid = formerSecretUntil !== null && call.platen.now() < formerSecretUntil;
  return html`${parentLink(path, "Webhooks")}
<h1>Signing secret</h1>
<p class="lead">Requests to all URLs of this blog are signed with this secret (Standard Webhooks), so receivers can verify that requests come from this server.</p>
${copyField("secret", "Secret", webhookSecret)}
${isOldSecretValid && html`<p>The old secret stays valid until ${times.full(formerSecretUntil)}.</p>`}
<h2>Replace the secret</h2>
<p>If the secret may have leaked, create a new one. For 24 hours, requests are signed with both secrets, so you have time to update each receiver.</p>
<form class="actions" method="post" action="${path}/secret">
${csrfField(token)}
<button class="danger">Create new secret</button>
</form>`;
}
