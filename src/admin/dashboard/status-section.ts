import { blogKomments, countKomments } from "../../komments/komment-list";
import { mediaTotalsOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/excerpt";
import { freeDiskBytes, totalDiskBytes } from "../../runtime/disk-space";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { isSuccess } from "../../webhooks/delivery/delivery-outcomes";
import { webhookHealth } from "../../webhooks/log/webhook-health";
import { findRefusedIpTargets } from "../../webhooks/target-check";
import { listWebhooks, type Webhook } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { timesFor } from "../words/times";

const MAX_KOMMENTS = 3;
const MAX_EXCERPT_LENGTH = 140;

export async function blogState(visit: BlogVisit): Promise<Html> {
  const { blog, call } = visit;
  const { files, bytes } = mediaTotalsOf(call.platen, blog);
  const { data } = call.platen.config;
  return html`<section><h2>Komments</h2>
${komments(visit)}
</section>
<div class="beside">
<section><h2>Webhooks</h2>
${await webhooks(visit)}
</section>
<section><h2>Disk</h2>
<p><a href="${blogPath(blog, "/media")}">${counted(files, "file")}</a>, ${byteWords(bytes)} in total. ${byteWords(freeDiskBytes(data))} of ${byteWords(totalDiskBytes(data))} free on the server’s disk.</p>
</section>
</div>`;
}

function komments({ call: { platen }, blog }: BlogVisit): Html {
  const path = blogPath(blog, "/komments");
  const rows = blogKomments(platen, blog, { status: "waiting", page: 1, limit: MAX_KOMMENTS });
  if (rows.length === 0) return html`<p>All caught up. <a href="${path}?status=all">All komments</a></p>`;
  const times = timesFor(blog, platen.now());
  const all = countKomments(platen, blog, "waiting");
  return html`<p><a href="${path}">${counted(all, "komment waiting", "komments waiting")}</a></p>
<ul class="rows">
${rows.map(
  ({
    komment: { id, name, source, createdAt },
  }) => html`<li><div class="what"><a class="name" href="${path}/${id}"><bdi>${name}</bdi></a>
<p class="about"><span>${times.near(createdAt)}</span><span dir="auto">${excerpt(source, MAX_EXCERPT_LENGTH)}</span></p></div></li>
`,
)}
</ul>`;
}

async function webhooks({ call: { platen }, blog }: BlogVisit): Promise<Html> {
  const all = listWebhooks(platen, blog);
  const path = blogPath(blog, "/webhooks");
  if (all.length === 0) return html`<p>No webhooks yet. <a href="${path}">Add one</a></p>`;
  const urls = all.map(({ url }) => url);
  const refused = await findRefusedIpTargets(platen, blog, urls);
  const states = all.map((webhook) => webhookState(platen, webhook, refused.has(webhook.url)));
  const counts = STATES.map((state) => ({ state, count: states.filter((one) => one === state).length }));
  const words = counts.filter(({ count }) => count > 0).map(({ state, count }) => `${count} ${state}`);
  const isBroken = BROKEN_STATES.some((state) => states.includes(state));
  return html`<p${isBroken && html` class="asks"`}><a href="${path}">${counted(all.length, "URL")}</a>: ${words.join(", ")}.</p>`;
}

const STATES = [
  "working",
  "failing",
  "blocked by server settings",
  "turned off",
  "paused",
  "not used yet",
  "not used for 30 days",
] as const;
type WebhookState = (typeof STATES)[number];
const BROKEN_STATES: WebhookState[] = ["failing", "blocked by server settings", "turned off"];

function webhookState(platen: Platen, webhook: Webhook, isRefused: boolean): WebhookState {
  if (webhook.disabledAt) return "turned off";
  if (webhook.pausedAt) return "paused";
  if (isRefused) return "blocked by server settings";
  const { last } = webhookHealth(platen, webhook);
  if (webhook.failingSince || (last && !isSuccess(last))) return "failing";
  if (last) return "working";
  return webhook.lastAttemptId === null ? "not used yet" : "not used for 30 days";
}
