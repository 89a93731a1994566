import { parseDuration } from "../../config/durations";
import { blogDelivery } from "../../deliveries/delivery-log";
import { redeliver, redeliverFailed } from "../../deliveries/redeliver";
import { malformed, notFound } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import type { HttpResponse } from "../../http/responses/response";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
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
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import type { BlogVisit } from "../layout/visit";
import { idAtEnd } from "./delivery-page";

const START_OF_TIME = new Date(0);

/** @throws Refusal (missing) if the blog has no such webhook */
export function webhookInAddress({ call, blog }: BlogVisit): Webhook {
  const id = idAtEnd(call.url.pathname);
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
export function changeWebhook(
  visit: BlogVisit,
  { url }: Webhook,
  form: SentForm<"do" | "quiet" | "next">,
): HttpResponse {
  const { call, blog } = visit;
  const asked = form.get("do") ?? "";
  const action = Object.hasOwn(ACTIONS, asked) ? ACTIONS[asked] : undefined;
  if (!action) throw malformed("Choose an action.");
  const says = action(call.platen, visit, url, form.get("quiet") ?? "");
  return redirectWithToast(call, localPath(form.get("next")) ?? blogPath(blog, "/webhooks"), { says });
}

/** Sends one delivery or all failed deliveries again. @throws Refusal (missing, conflict) */
export function resend({ call, blog }: BlogVisit, form: SentForm<"again" | "next">): HttpResponse {
  const next = localPath(form.get("next")) ?? blogPath(blog, "/webhooks");
  const asked = form.get("again") ?? "";
  if (asked === "failed") {
    const count = redeliverFailed(call.platen, webhookChannel, START_OF_TIME, blog);
    const words = `Sending ${counted(count, "delivery", "deliveries")} again.`;
    return redirectWithToast(call, next, {
      says: count === 0 ? "There are no failed deliveries to send again." : words,
    });
  }
  if (!/^[1-9]\d{0,14}$/.test(asked)) throw malformed("Choose a delivery to send again.");
  const { delivery, receiver } = blogDelivery(call.platen, blog, Number(asked));
  redeliver(call.platen, delivery.id);
  const says = receiver.pausedAt ? "It will be sent again when you resume the URL." : "Sending again.";
  return redirectWithToast(call, next, { says });
}
