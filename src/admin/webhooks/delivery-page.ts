import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import type { Attempt } from "../../webhooks/log/delivery-log";
import { type BlogDelivery, requestHeaders } from "../../webhooks/log/delivery-log";
import { parentLink } from "../layout/list-controls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/times";
import { canResend, deliveryState, describeResponse, resendForm } from "./delivery-rows";

export function deliveryMain(visit: BlogVisit, found: BlogDelivery & { attempts: Attempt[] }): Html {
  const { call, blog, token } = visit;
  const { delivery, event, webhook, attempts } = found;
  const path = blogPath(blog, "/webhooks");
  const times = timesFor(blog, call.platen.now());
  return html`${parentLink(`${path}#log`, "Webhooks")}
<div class="page-head"><h1>${event.name}</h1>
${canResend(found) && resendForm(`${path}/log`, token, delivery.id, `${path}/log/${delivery.id}`)}</div>
<p class="about">${deliveryState(found)}<span>happened ${times.near(event.occurredAt)}</span>
${delivery.dueAt && html`<span>${delivery.attempts > 0 ? "next attempt" : "due"} ${times.near(delivery.dueAt)}</span>`}</p>
<p class="about whole">${webhook.removedAt ? html`<span>${webhook.url} (removed)</span>` : html`<a href="${path}/${webhook.id}">${webhook.url}</a>`}</p>
${webhook.disabledAt && !webhook.removedAt && html`<p>This URL is turned off. Turn it on to send this again.</p>`}
<h2>Payload</h2>
<pre tabindex="0" aria-label="Body of the request"><code>${indentJson(event.payload)}</code></pre>
<h2>${attempts.length === 0 ? "No attempts yet" : counted(attempts.length, "attempt")}</h2>
${attempts.toReversed().map((attempt, at) => attemptPart(attempt, attempts.length - at, at === 0, found))}`;

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

function indentJson(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2);
}
