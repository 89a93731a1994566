import { MAX_BYTES } from "../../config/request-limits";
import { durationText, parseDuration } from "../../config/units";
import { blogDelivery } from "../../deliveries/delivery-log";
import { receiverHealth } from "../../deliveries/receiver-health";
import { redeliver, redeliverFailed } from "../../deliveries/redeliver";
import { conflict, malformed, notFound } from "../../errors";
import { type FormState, NO_CORRECTIONS, selectField, textField } from "../../http/forms/form-field";
import type { HttpResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { rotateSecret } from "../../webhooks/signing-secrets";
import { findRefusedIpTargets, findRefusedTargets } from "../../webhooks/target-check";
import { formatUrlList, MAX_URL_LIST_LENGTH, type SavedUrls, saveUrlList } from "../../webhooks/url-list";
import { webhookChannel } from "../../webhooks/webhook-channel";
import { sendTestEvent } from "../../webhooks/webhook-events";
import {
  addWebhook,
  enableWebhook,
  listWebhooks,
  pauseWebhook,
  resumeWebhook,
  type Webhook,
} from "../../webhooks/webhook-urls";
import { adminResponse, adminRouter, onBlog } from "../layout/admin-responses";
import { blogPath } from "../layout/menu-places";
import { copyField, parentLink, switchControl } from "../layout/page-controls";
import { redirectWithToast } from "../layout/toasts";
import { type AdminForm, actionNamed, type BlogVisit, idIn, withForm } from "../layout/visit";
import { cappedCount, deliveryLog, deliveryMain, describeResponse } from "./delivery-log-page";

const MAX_URL_SHOWN = 200;

export const webhookAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "webhooks")
    .get("/admin/blogs/:slug/webhooks", onBlog(listResponse))
    .post("/admin/blogs/:slug/webhooks", onBlog(withForm(saveUrls, MAX_BYTES.settingsForm)))
    .get("/admin/blogs/:slug/webhooks/secret", onBlog(secretResponse))
    .post("/admin/blogs/:slug/webhooks/secret", onBlog(withForm(rotateSigningSecret)))
    .post("/admin/blogs/:slug/webhooks/log", onBlog(withForm(resendDeliveries)))
    .get("/admin/blogs/:slug/webhooks/log/:id", onBlog(deliveryResponse))
    .get("/admin/blogs/:slug/webhooks/:id", onBlog(webhookResponse))
    .post("/admin/blogs/:slug/webhooks/:id", onBlog(withForm(changeWebhook)));

async function listResponse(visit: BlogVisit): Promise<HttpResponse> {
  return await adminResponse(visit, {
    title: "Webhooks",
    place: "webhooks",
    main: await webhooksMain(visit),
  });
}

async function saveUrls(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  try {
    const made = saveUrlList(call.platen, blog, form.text("urls"), {
      before: form.get("before"),
      kommentEvents: form.get("komments") === "on",
    });
    const refused = await findRefusedTargets(call.platen, blog, made.added);
    const message = [describeSaved(made), ...describeRefused(refused)].join(" ");
    return redirectWithToast(call, blogPath(blog, "/webhooks"), message);
  } catch (error) {
    const main = await webhooksMain(visit, form.rejected(error, "urls", "before", "komments"));
    return adminResponse(visit, { title: "Webhooks", place: "webhooks", main, isRejected: true });
  }
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

function secretResponse(visit: BlogVisit): Promise<HttpResponse> {
  const main = secretMain(visit);
  return adminResponse(visit, { title: "Signing secret", place: "webhooks", main });
}

async function rotateSigningSecret(visit: BlogVisit): Promise<HttpResponse> {
  rotateSecret(visit.call.platen, visit.blog);
  return redirectWithToast(
    visit.call,
    blogPath(visit.blog, "/webhooks/secret"),
    "New secret created. For 24 hours, requests are signed with both secrets.",
  );
}

function webhookResponse(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const main = webhookMain(visit, requireWebhook(visit, id));
  return adminResponse(visit, { title: "Webhook", place: "webhooks", main });
}

function deliveryResponse(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const main = deliveryMain(visit, blogDelivery(visit.call.platen, visit.blog, id));
  return adminResponse(visit, { title: "Delivery", place: "webhooks", main });
}

const START_OF_TIME = new Date(0);

function requireWebhook({ call, blog }: BlogVisit, id: number): Webhook {
  const found = listWebhooks(call.platen, blog).find((webhook) => webhook.id === id);
  if (!found) throw notFound("webhook");
  return found;
}

const ACTIONS: Record<string, (platen: Platen, visit: BlogVisit, url: string, quiet: string) => string> = {
  test: (platen, { blog }, url) => {
    sendTestEvent(platen, blog, url);
    return "Test event queued. Reload this page to see the result.";
  },
  pause: (platen, { blog }, url) => {
    pauseWebhook(platen, blog, url);
    return "Webhook paused. New events are queued.";
  },
  resume: (platen, { blog }, url) => {
    resumeWebhook(platen, blog, url);
    return "Resumed. Queued events are sent first.";
  },
  enable: (platen, { blog }, url) => {
    enableWebhook(platen, blog, url);
    return "Turned on. You can send missed events again from the log.";
  },
  quiet: (platen, { blog }, url, quiet) => {
    const quietPeriod = quiet === "0" ? 0 : parseDuration(quiet);
    if (quietPeriod === null) throw malformed("Choose a delay.");
    addWebhook(platen, blog, url, { quietPeriod });
    return quietPeriod === 0
      ? "Saved. Every event is sent."
      : "Saved. Only the last of several events is sent.";
  },
};

async function changeWebhook(visit: BlogVisit, form: AdminForm, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const { url } = requireWebhook(visit, id);
  const action = actionNamed(ACTIONS, form.get("do"));
  const message = action(call.platen, visit, url, form.text("quiet"));
  return redirectWithToast(call, localPath(form.get("next")) ?? blogPath(blog, "/webhooks"), message);
}

async function resendDeliveries(visit: BlogVisit, form: AdminForm): Promise<HttpResponse> {
  const { call, blog } = visit;
  const next = localPath(form.get("next")) ?? blogPath(blog, "/webhooks");
  const choice = form.text("again");
  if (choice === "failed") {
    const count = redeliverFailed(call.platen, webhookChannel, START_OF_TIME, blog);
    const words = `Sending ${counted(count, "delivery", "deliveries")} again.`;
    return redirectWithToast(
      call,
      next,
      count === 0 ? "There are no failed deliveries to send again." : words,
    );
  }
  const id = idIn(choice);
  if (id === 0) throw malformed("Choose a delivery to send again.");
  const { delivery, receiver } = blogDelivery(call.platen, blog, id);
  redeliver(call.platen, delivery.id);
  const message = receiver.pausedAt ? "It will be sent again when you resume the URL." : "Sending again.";
  return redirectWithToast(call, next, message);
}

async function webhooksMain(visit: BlogVisit, rejected?: FormState): Promise<Html> {
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

function errorSentence(error: string): string {
  return error.startsWith("line ") ? `Line ${error.slice("line ".length)}.` : `The URLs ${error}.`;
}

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

function webhookMain(visit: BlogVisit, webhook: Webhook): Html {
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

function secretMain({ call, blog, token, times }: BlogVisit): Html {
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
