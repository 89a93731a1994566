import { parseDuration } from "../../config/durations";
import { malformed, notFound } from "../../errors";
import type { SentForm } from "../../http/forms/form-body";
import type { HttpResponse } from "../../http/responses/response";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { blogDelivery } from "../../webhooks/log/deliveries-in-order";
import { redeliver, redeliverFailed } from "../../webhooks/log/redelivering";
import { sendTestEvent } from "../../webhooks/test-event";
import {
  addWebhook,
  enableWebhook,
  listWebhooks,
  pauseWebhook,
  resumeWebhook,
  type Webhook,
} from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import type { BlogVisit } from "../layout/visit";
import { idAtEnd } from "./delivery-rows";

const START_OF_TIME = new Date(0);

/** The one that the address ends with. @throws Refusal (missing) */
export function askedWebhook({ call, blog }: BlogVisit): Webhook {
  const id = idAtEnd(call.url.pathname);
  const found = listWebhooks(call.platen, blog).find((webhook) => webhook.id === id);
  if (!found) throw notFound("webhook");
  return found;
}

/** What can be done with an address, by its button's value; each gives what to say of it. */
const ACTIONS: Record<string, (platen: Platen, visit: BlogVisit, url: string, quiet: string) => string> = {
  test: (platen, { blog }, url) => {
    sendTestEvent(platen, blog, url);
    return "A test is on its way; the log below shows what came of it.";
  },
  pause: (platen, { blog }, url) => {
    pauseWebhook(platen, blog, url);
    return "Paused. What happens from now on waits.";
  },
  resume: (platen, { blog }, url) => {
    resumeWebhook(platen, blog, url);
    return "It goes on, with what has waited first.";
  },
  enable: (platen, { blog }, url) => {
    enableWebhook(platen, blog, url);
    return "It is on again. What it missed can be sent again from the log.";
  },
  quiet: (platen, { blog }, url, quiet) => {
    const quietPeriod = quiet === "0" ? 0 : parseDuration(quiet);
    if (quietPeriod === null) throw malformed("Choose a quiet time.");
    addWebhook(platen, blog, url, { quietPeriod });
    return quietPeriod === 0 ? "Every event is sent." : "Saved: the last of several events is sent.";
  },
};

/** @throws Refusal: malformed, conflict (a test for an address that is off) */
export function changedWebhook(
  visit: BlogVisit,
  { url }: Webhook,
  form: SentForm<"do" | "quiet" | "next">,
): HttpResponse {
  const { call, blog } = visit;
  const asked = form.get("do") ?? "";
  const action = Object.hasOwn(ACTIONS, asked) ? ACTIONS[asked] : undefined;
  if (!action) throw malformed("Choose what is to be done.");
  const says = action(call.platen, visit, url, form.get("quiet") ?? "");
  return toastThen(call, localPath(form.get("next")) ?? blogPath(blog, "/webhooks"), { says });
}

/** One delivery, or all of the blog that failed. @throws Refusal: missing, conflict */
export function sentAgain({ call, blog }: BlogVisit, form: SentForm<"again" | "next">): HttpResponse {
  const next = localPath(form.get("next")) ?? blogPath(blog, "/webhooks");
  const asked = form.get("again") ?? "";
  if (asked === "failed") {
    const count = redeliverFailed(call.platen, START_OF_TIME, blog);
    const words = `${counted(count, "delivery is", "deliveries are")} sent again.`;
    return toastThen(call, next, {
      says: count === 0 ? "Nothing has failed that could be sent again." : words,
    });
  }
  if (!/^[1-9]\d{0,14}$/.test(asked)) throw malformed("Choose what is to be sent again.");
  const { delivery, webhook } = blogDelivery(call.platen, blog, Number(asked));
  redeliver(call.platen, delivery.id);
  const says = webhook.pausedAt ? "It is sent again when its URL goes on." : "It is being sent again.";
  return toastThen(call, next, { says });
}
