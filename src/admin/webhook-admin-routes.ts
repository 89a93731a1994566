import type { Blog } from "../blogs/blogs";
import { MAX_BYTES } from "../config/request-limits";
import { durationText, parseDuration } from "../config/units";
import { type Attempt, receiverHealth } from "../deliveries/delivery-log-and-redelivery";
import { conflict, malformed, notFound } from "../errors";
import { type FormState, NO_CORRECTIONS, selectField, textField } from "../http/form-field";
import { localPath } from "../http/responses/response";
import type { Platen } from "../platen";
import { type Html, html } from "../text/html";
import { counted } from "../text/numbers";
import { sendTestEvent } from "../webhooks/webhook-events";
import { rotateSecret } from "../webhooks/webhook-signatures";
import {
  addWebhook,
  enableWebhook,
  findRefusedIpTargets,
  findRefusedTargets,
  formatUrlList,
  listWebhooks,
  MAX_URL_LIST_LENGTH,
  pauseWebhook,
  resumeWebhook,
  type SavedUrls,
  saveUrlList,
  type Webhook,
} from "../webhooks/webhook-urls";
import { copyField, parentLink, postForm, switchControl } from "./layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "./layout/routing";
import type { Times } from "./layout/times-and-languages";
import { type AdminForm, actionNamed, type BlogVisit, blogPath } from "./layout/visit";
import { cappedCount, deliveryLog, describeResponse } from "./webhook-delivery-log-routes";

const MAX_URL_SHOWN = 200;

export const webhookAdminRoutes = blogRoutes({
  "GET /webhooks": webhooksPage,
  "POST /webhooks": withForm(saveUrls, webhooksPage, MAX_BYTES.settingsForm),
  "GET /webhooks/secret": secretPage,
  "POST /webhooks/secret": withForm(rotateSigningSecret),
  "GET /webhooks/:id": webhookPage,
  "POST /webhooks/:id": withForm(changeWebhook),
});

async function saveUrls({ platen, blog }: BlogVisit, form: AdminForm) {
  const saved = saveUrlList(platen, blog, form.text("urls"), {
    before: form.get("before"),
    kommentEvents: form.get("komments") === "on",
  });
  const refused = await findRefusedTargets(platen, blog, saved.added);
  return [describeSaved(saved), ...describeRefused(refused)].join(" ");
}

function describeSaved({ added, removed, kept, komments }: SavedUrls): string {
  const changes = [
    added.length > 0 && `${added.length} added`,
    removed > 0 && `${removed} removed`,
    komments && `new komments ${komments}`,
  ].filter(Boolean);
  if (changes.length === 0) return `Nothing changed. The list has ${counted(kept, "URL")}.`;
  return `Saved: ${changes.join(", ")}${kept > 0 ? `, ${kept} kept` : ""}.`;
}

function describeRefused(refused: Map<string, string>): string[] {
  const [first] = refused;
  if (!first) return [];
  const others = refused.size - 1;
  const more = others > 0 ? ` The same applies to ${counted(others, "other URL")}.` : "";
  return [`Nothing will be sent to ${first[0].slice(0, MAX_URL_SHOWN)}: ${first[1]}.${more}`];
}

function rotateSigningSecret({ platen, blog }: BlogVisit) {
  rotateSecret(platen, blog);
  return "New secret created. For 24 hours, requests are signed with both secrets.";
}

function requireWebhook({ platen, blog }: BlogVisit, id: number): Webhook {
  const found = listWebhooks(platen, blog).find((webhook) => webhook.id === id);
  if (!found) throw notFound("webhook");
  return found;
}

const ACTIONS: Record<string, [change: (platen: Platen, blog: Blog, url: string) => void, toast: string]> = {
  test: [sendTestEvent, "Test event queued. Reload this page to see the result."],
  pause: [pauseWebhook, "Webhook paused. New events are queued."],
  resume: [resumeWebhook, "Resumed. Queued events are sent first."],
  enable: [enableWebhook, "Turned on. You can send missed events again from the log."],
};

function changeWebhook(visit: BlogVisit, form: AdminForm, id: number) {
  const { platen, blog } = visit;
  const { url } = requireWebhook(visit, id);
  const location = localPath(form.get("next")) ?? blogPath(blog, "/webhooks");
  if (form.get("do") === "quiet") return { location, toast: saveQuietPeriod(visit, url, form.text("quiet")) };
  const [change, toast] = actionNamed(ACTIONS, form.get("do"));
  change(platen, blog, url);
  return { location, toast };
}

function saveQuietPeriod({ platen, blog }: BlogVisit, url: string, text: string): string {
  const quietPeriod = text === "0" ? 0 : parseDuration(text);
  if (quietPeriod === null) throw malformed("Choose a delay.");
  addWebhook(platen, blog, url, { quietPeriod });
  return quietPeriod === 0
    ? "Saved. Every event is sent."
    : "Saved. Of events in quick succession, only the last is sent.";
}

async function webhooksPage(visit: BlogVisit): Promise<AdminPage> {
  const { platen, blog } = visit;
  const path = blogPath(blog, "/webhooks");
  const webhooks = listWebhooks(platen, blog);
  const urls = webhooks.map(({ url }) => url);
  const refused = await findRefusedIpTargets(platen, blog, urls);
  const main = html`<div class="page-head"><h1>Webhooks</h1>
${blog.webhookSecret !== null && html`<div class="ways"><a class="button quiet" href="${path}/secret">Signing secret</a></div>`}</div>
<p class="lead">Called when a post is published, updated, unpublished or deleted${blog.kommentEvents && ", and when someone writes a komment"}.</p>
${urlsForm(visit, path)}
${
  webhooks.length > 0 &&
  html`<h2>Status</h2>
<ul class="rows webhooks">${webhooks.map((webhook) => webhookRow(visit, webhook, path, refused.get(webhook.url)))}</ul>`
}
${(webhooks.length > 0 || blog.webhookSecret !== null) && deliveryLog(visit, path)}`;
  return { title: "Webhooks", place: "webhooks", main };
}

function urlsForm(visit: BlogVisit, path: string): Html {
  const { platen, blog } = visit;
  const urls = formatUrlList(platen, blog);
  const stored = { urls, before: urls, komments: blog.kommentEvents ? "on" : "" };
  const { values = stored, errors }: FormState = visit.rejected ?? {};
  return html`${postForm(visit, "stack", path, { before: values.before ?? "" })}
${textField({ values }, "urls", "Webhook URLs, one per line", {
  sentences: errors?.urls?.map(errorSentence),
  hint: "Use https:// if you can: http:// can be read in transit. Removing a line stops its deliveries; its log stays.",
  more: html`rows="${Math.min(10, Math.max(4, urls.split("\n").length + 1))}" maxlength="${MAX_URL_LIST_LENGTH}" wrap="off" inputmode="url" ${NO_CORRECTIONS}`,
})}
${switchControl("komments", "Also send new komments", values.komments === "on", html`As the event <code>komment.created</code>.`)}
<div class="actions"><button class="primary">Save</button></div>
</form>`;
}

function errorSentence(error: string): string {
  return error.startsWith("line ") ? `Line ${error.slice("line ".length)}.` : `The URLs ${error}.`;
}

function webhookRow(visit: BlogVisit, webhook: Webhook, path: string, refused: string | undefined): Html {
  const { platen, times } = visit;
  const { id, url, quietPeriod } = webhook;
  const { last, waiting, failed } = receiverHealth(platen, webhook);
  return html`<li><div class="what"><a class="name" href="${path}/${id}">${url}</a>
<p class="about">${webhookStateBadge(webhook, times)}
${lastResponse(visit, last)}
${waiting > 0 && html`<span>${cappedCount(waiting)} pending</span>`}
${failed > 0 && html`<a href="${path}/${id}?log=failed">${cappedCount(failed)} failed</a>`}
${refused !== undefined && html`<span class="because">Nothing will be sent: ${refused}.</span>`}
${quietPeriod > 0 && html`<span>only the last of several events</span>`}</p></div>
${webhookButtons(visit, webhook, path)}</li>
`;
}

function lastResponse({ times }: BlogVisit, last: Attempt | undefined): Html {
  return html`<span class="because">${last ? html`Last response: ${describeResponse(last)}, ${times.near(last.at)}` : "Nothing sent yet"}</span>`;
}

function webhookStateBadge(webhook: Webhook, times: Times): Html {
  const { pausedAt, disabledAt, disabledBecause, failingSince } = webhook;
  if (disabledAt)
    return html`<span class="state failed">Turned off ${times.near(disabledAt)}</span><span class="because">${disabledBecause}</span>`;
  if (pausedAt) return html`<span class="state scheduled">Paused ${times.near(pausedAt)}</span>`;
  if (failingSince) return html`<span class="state failed">Failing since ${times.full(failingSince)}</span>`;
  return html`<span class="state live">On</span>`;
}

function webhookButtons(visit: BlogVisit, webhook: Webhook, next: string): Html {
  const { id, disabledAt, pausedAt, url } = webhook;
  const button = (value: string, words: string) =>
    html`<button class="quiet" name="do" value="${value}">${words}<span class="spoken">: ${url}</span></button>`;
  return html`${postForm(visit, "ways", blogPath(visit.blog, `/webhooks/${id}`), { next })}
${disabledAt ? button("enable", "Turn on") : pausedAt ? button("resume", "Resume") : html`${button("test", "Send a test")}${button("pause", "Pause")}`}</form>`;
}

/** In the format of `parseDuration`; "0" turns debouncing off. */
const QUIET_PERIODS: Record<string, string> = {
  "0": "Send every event",
  "30s": "Send only the last one, after 30 seconds without events",
  "1m": "Send only the last one, after a minute without events",
  "2m": "Send only the last one, after 2 minutes without events",
  "5m": "Send only the last one, after 5 minutes without events",
  "15m": "Send only the last one, after 15 minutes without events",
  "1h": "Send only the last one, after an hour without events",
};

function webhookPage(visit: BlogVisit, id: number): AdminPage {
  const { platen, blog, times } = visit;
  const webhook = requireWebhook(visit, id);
  const path = blogPath(blog, "/webhooks");
  const here = `${path}/${id}`;
  const { last, waiting, failed } = receiverHealth(platen, webhook);
  const main = html`${parentLink(path, "Webhooks")}
<h1 class="address">${webhook.url}</h1>
<p class="about">${webhookStateBadge(webhook, times)}
${lastResponse(visit, last)}
<span>${cappedCount(waiting)} pending</span><span>${cappedCount(failed)} failed</span></p>
${webhookButtons(visit, webhook, here)}
${webhook.url.startsWith("http:") && html`<p class="hint">Requests to http:// are not encrypted and can be read in transit.</p>`}
<h2>Several events in a row</h2>
${postForm(visit, "stack", here, { next: here })}
${quietField(webhook)}
<div class="actions"><button class="quiet" name="do" value="quiet">Save</button></div>
</form>
${deliveryLog(visit, here, webhook)}`;
  return { title: "Webhook", place: "webhooks", main };
}

function quietField({ quietPeriod }: Webhook): Html {
  const quiet = quietPeriod === 0 ? "0" : durationText(quietPeriod);
  const other = { [quiet]: `Send only the last one, after ${quiet} without events` };
  const periods = { ...other, ...QUIET_PERIODS };
  return selectField({ values: { quiet } }, "quiet", "When several events follow each other", periods, {
    hint: "Useful for site builds: twenty edits cause one build. If events keep coming, one is sent after ten times this delay.",
  });
}

function secretPage(visit: BlogVisit): AdminPage {
  const { platen, blog, times } = visit;
  const { webhookSecret, formerSecretUntil } = blog;
  if (!webhookSecret) throw conflict("The secret is created with the first webhook URL. Save one first.");
  const path = blogPath(blog, "/webhooks");
  const isOldSecretValid = formerSecretUntil !== null && platen.now() < formerSecretUntil;
  const main = html`${parentLink(path, "Webhooks")}
<h1>Signing secret</h1>
<p class="lead">Requests to all URLs of this blog are signed with this secret (Standard Webhooks), so receivers can verify that requests come from this server.</p>
${copyField("secret", "Secret", webhookSecret)}
${isOldSecretValid && html`<p>The old secret stays valid until ${times.full(formerSecretUntil)}.</p>`}
<h2>Replace the secret</h2>
<p>If the secret may have leaked, create a new one. For 24 hours, requests are signed with both secrets, so you have time to update each receiver.</p>
${postForm(visit, "actions", `${path}/secret`)}
<button class="danger">Create new secret</button>
</form>`;
  return { title: "Signing secret", place: "webhooks", main };
}
