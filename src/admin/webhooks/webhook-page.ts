import { durationText } from "../../config/durations";
import { conflict } from "../../errors";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { webhookHealth } from "../../webhooks/log/webhook-health";
import type { Webhook } from "../../webhooks/webhook-urls";
import { parentLink } from "../layout/list-controls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";
import { cappedCount, deliveryLog, describeResponse } from "./delivery-rows";
import { webhookButtons, webhookStateBadge } from "./webhook-list-page";

/** The values of `platen webhook add --quiet`. */
const QUIET_PERIODS: [value: string, words: string][] = [
  ["0", "Send every event"],
  ["30s", "after 30 seconds without events"],
  ["1m", "after a minute without events"],
  ["2m", "after 2 minutes without events"],
  ["5m", "after 5 minutes without events"],
  ["15m", "after 15 minutes without events"],
  ["1h", "after an hour without events"],
];

export function webhookMain(visit: BlogVisit, webhook: Webhook): Html {
  const { call, blog, token } = visit;
  const path = blogPath(blog, "/webhooks");
  const here = `${path}/${webhook.id}`;
  const times = timesFor(blog, call.platen.now());
  const { last, waiting, failed } = webhookHealth(call.platen, webhook);
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
<label for="quiet">When several events follow each other</label>
<select id="quiet" name="quiet" aria-describedby="quiet-hint">${quietOptions(webhook.quietPeriod)}</select>
<p class="hint" id="quiet-hint">Useful for site builds: twenty edits cause one build. If events keep coming, one is sent after ten times this delay.</p>
<div class="actions"><button class="quiet" name="do" value="quiet">Save</button></div>
</form>
${deliveryLog(visit, here, webhook)}`;
}

function quietOptions(quietPeriod: number): Html[] {
  const present = quietPeriod === 0 ? "0" : durationText(quietPeriod);
  const isListed = QUIET_PERIODS.some(([value]) => value === present);
  const all: typeof QUIET_PERIODS = isListed
    ? QUIET_PERIODS
    : [...QUIET_PERIODS, [present, `after ${present} without events`]];
  return all.map(
    ([value, words]) =>
      html`<option value="${value}"${value === present && html` selected`}>${value === "0" ? words : `Send only the last one, ${words}`}</option>`,
  );
}

/** @throws Refusal (conflict) if there is no secret yet */
export function secretMain({ call, blog, token }: BlogVisit): Html {
  const { webhookSecret, formerSecretUntil } = blog;
  if (!webhookSecret) throw conflict("The secret is created with the first webhook URL. Save one first.");
  const path = blogPath(blog, "/webhooks");
  const isOldSecretValid = formerSecretUntil !== null && call.platen.now() < formerSecretUntil;
  return html`${parentLink(path, "Webhooks")}
<h1>Signing secret</h1>
<p class="lead">Requests to all URLs of this blog are signed with this secret (Standard Webhooks), so receivers can verify that they come from here.</p>
<div class="field copied"><label for="secret">Secret</label>
<div class="beside"><textarea id="secret" rows="1" readonly spellcheck="false">${webhookSecret}</textarea>
<button type="button" class="quiet" data-copy="secret" data-with-scripts>Copy</button></div></div>
${isOldSecretValid && html`<p>The old secret stays valid until ${timesFor(blog, call.platen.now()).full(formerSecretUntil)}.</p>`}
<h2>Replace the secret</h2>
<p>If someone else may have seen it, create a new one. For 24 hours, requests are signed with both, so you have time to update each receiver.</p>
<form class="actions" method="post" action="${path}/secret">
${csrfField(token)}
<button class="danger">Create new secret</button>
</form>`;
}
