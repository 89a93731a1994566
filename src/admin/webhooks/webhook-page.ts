import { durationText } from "../../config/durations";
import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { webhookHealth } from "../../webhooks/log/webhook-health";
import type { Webhook } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import { wayUp } from "../layout/page-links";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";
import { answerWords, countedToMost, logPart } from "./delivery-rows";
import { webhookButtons, webhookState } from "./webhook-list-page";

/** As `platen webhook add --quiet` has them. */
const QUIET_PERIODS: [value: string, words: string][] = [
  ["0", "Send every event"],
  ["30s", "after 30 seconds of quiet"],
  ["1m", "after a minute of quiet"],
  ["2m", "after 2 minutes of quiet"],
  ["5m", "after 5 minutes of quiet"],
  ["15m", "after 15 minutes of quiet"],
  ["1h", "after an hour of quiet"],
];

/** One address: how it fares, what it is sent, and its log. */
export function webhookMain(visit: BlogVisit, webhook: Webhook): Html {
  const { call, blog, token } = visit;
  const path = blogPath(blog, "/webhooks");
  const here = `${path}/${webhook.id}`;
  const times = timesFor(blog, call.platen.now());
  const { last, waiting, failed } = webhookHealth(call.platen, webhook);
  return html`${wayUp(path, "Webhooks")}
<h1 class="address">${webhook.url}</h1>
<p class="about">${webhookState(webhook, times)}
<span class="because">${last ? html`Last answer: ${answerWords(last)}, ${times.near(last.at)}` : "Nothing sent yet"}</span>
<span>${countedToMost(waiting)} waiting</span><span>${countedToMost(failed)} failed</span></p>
${webhookButtons(webhook, here, token, here)}
${webhook.url.startsWith("http:") && html`<p class="hint">It is asked without encryption: whoever carries the request can read it.</p>`}
<h2>Many changes at once</h2>
<form class="stack" method="post" action="${here}">
${csrfField(token)}
<input type="hidden" name="next" value="${here}">
<label for="quiet">When there are several events in a row</label>
<select id="quiet" name="quiet" aria-describedby="quiet-hint">${quietOptions(webhook.quietPeriod)}</select>
<p class="hint" id="quiet-hint">For what builds a site: twenty edits are one build. However long it goes on, one is sent after ten such times.</p>
<div class="actions"><button class="quiet" name="do" value="quiet">Save</button></div>
</form>
${logPart(visit, here, webhook)}`;
}

function quietOptions(quietPeriod: number): Html[] {
  const present = quietPeriod === 0 ? "0" : durationText(quietPeriod);
  const isListed = QUIET_PERIODS.some(([value]) => value === present);
  const all: typeof QUIET_PERIODS = isListed
    ? QUIET_PERIODS
    : [...QUIET_PERIODS, [present, `after ${present} of quiet`]];
  return all.map(
    ([value, words]) =>
      html`<option value="${value}"${value === present && html` selected`}>${value === "0" ? words : `Send the last one, ${words}`}</option>`,
  );
}
