import { MAX_BYTES } from "../../config/request-limits";
import { parseDuration } from "../../config/units";
import { blogDelivery } from "../../deliveries/delivery-log";
import { redeliver, redeliverFailed } from "../../deliveries/redeliver";
import { malformed, notFound } from "../../errors";
import type { HttpResponse } from "../../http/responses/response";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { rotateSecret } from "../../webhooks/signing-secrets";
import { findRefusedTargets } from "../../webhooks/target-check";
import { type SavedUrls, saveUrlList } from "../../webhooks/url-list";
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
import { redirectWithToast } from "../layout/toasts";
import { actionNamed, type BlogVisit, idIn, readAdminForm } from "../layout/visit";
import { deliveryMain } from "./delivery-log-page";
import { secretMain, webhookMain, webhooksMain } from "./webhook-page";

const MAX_URL_SHOWN = 200;

export const webhookAdminRoutes = (platen: Platen) =>
  adminRouter(platen, "webhooks")
    .get("/admin/blogs/:slug/webhooks", onBlog(listResponse))
    .post("/admin/blogs/:slug/webhooks", onBlog(saveUrls))
    .get("/admin/blogs/:slug/webhooks/secret", onBlog(secretResponse))
    .post("/admin/blogs/:slug/webhooks/secret", onBlog(rotateSigningSecret))
    .post("/admin/blogs/:slug/webhooks/log", onBlog(resendDeliveries))
    .get("/admin/blogs/:slug/webhooks/log/:id", onBlog(deliveryResponse))
    .get("/admin/blogs/:slug/webhooks/:id", onBlog(webhookResponse))
    .post("/admin/blogs/:slug/webhooks/:id", onBlog(changeWebhook));

async function listResponse(visit: BlogVisit): Promise<HttpResponse> {
  return await adminResponse(visit, {
    title: "Webhooks",
    place: "webhooks",
    main: await webhooksMain(visit),
  });
}

async function saveUrls(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, MAX_BYTES.settingsForm);
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
  if (changes.length === 0) return `Saved without changes: ${counted(kept, "URL")}.`;
  return `Saved: ${changes.join(", ")}${kept > 0 ? `, ${kept} kept` : ""}.`;
}

/** Describes the first rejected URL and counts the others, because a toast has room for one. */
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
  await readAdminForm(visit);
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

/** @throws Refusal (missing) if the blog has no such webhook */
function requireWebhook({ call, blog }: BlogVisit, id: number): Webhook {
  const found = listWebhooks(call.platen, blog).find((webhook) => webhook.id === id);
  if (!found) throw notFound("webhook");
  return found;
}

/** Actions by the button's value. Each returns the toast's text. */
const ACTIONS: Record<string, (platen: Platen, visit: BlogVisit, url: string, quiet: string) => string> = {
  test: (platen, { blog }, url) => {
    sendTestEvent(platen, blog, url);
    return "Test event queued. The log below shows the result.";
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

/** @throws Refusal (malformed), or conflict for a test event to a disabled URL */
async function changeWebhook(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
  const { url } = requireWebhook(visit, id);
  const action = actionNamed(ACTIONS, form.get("do"));
  const message = action(call.platen, visit, url, form.text("quiet"));
  return redirectWithToast(call, localPath(form.get("next")) ?? blogPath(blog, "/webhooks"), message);
}

/** Sends one delivery or all failed deliveries again. @throws Refusal (missing, conflict) */
async function resendDeliveries(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit);
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
