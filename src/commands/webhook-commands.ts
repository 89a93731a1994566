import { type Blog, blogById } from "../blogs/blogs";
import { instantOf } from "../blogs/time-zone";
import { durationText, parseDuration } from "../config/units";
import {
  listAttempts,
  listDeliveries,
  redeliver,
  redeliverFailed,
} from "../deliveries/delivery-log-and-redelivery";
import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import { webhookChannel } from "../webhooks/webhook-channel";
import { sendTestEvent } from "../webhooks/webhook-events";
import { rotateSecret } from "../webhooks/webhook-signatures";
import {
  addWebhook,
  enableWebhook,
  findRefusedTargets,
  listWebhooks,
  pauseWebhook,
  removeWebhook,
  resumeWebhook,
} from "../webhooks/webhook-urls";
import { findScope, folderCommand, listCommand, requireBlog } from "./shell/command";
import { ArgumentError } from "./shell/command-errors";
import { formatList, print, toRow } from "./shell/terminal";
import { blog, idOf, json, onlyBlog, parsed } from "./shell/usage";

export const webhookAdd = folderCommand(
  {
    help: "add a webhook URL and print the signing secret",
    operands: ["URL"],
    options: {
      blog,
      quiet: parsed("2m", "debounce: send after this time without events [0s]", parseQuietPeriod),
    },
  },
  async (platen, { values, operands: [url] }) => {
    const blog = requireBlog(platen, values.blog);
    await print(addWebhook(platen, blog, url, { quietPeriod: values.quiet }));
    for (const why of (await findRefusedTargets(platen, blog, [url.trim()])).values())
      platen.log(`Warning: the server will send no events to this URL: ${why}, in the server's environment.`);
  },
);

function parseQuietPeriod(text: string, name: string): number {
  const quietPeriod = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text);
  if (quietPeriod === null)
    throw new ArgumentError(`${name} is "${text}"; it must be a number and s, m, h or d, like 2m`);
  return quietPeriod;
}

const urlCommand = (help: string, work: (platen: Platen, blog: Blog, url: string) => string) =>
  folderCommand({ help, operands: ["URL"], options: { blog } }, (platen, { values, operands: [url] }) =>
    work(platen, requireBlog(platen, values.blog), url),
  );

export const webhookRemove = urlCommand("remove a webhook URL", (platen, blog, url) => {
  removeWebhook(platen, blog, url);
  return `Removed ${url}.`;
});

export const webhookPause = urlCommand("pause a URL; new events are queued", (platen, blog, url) => {
  pauseWebhook(platen, blog, url);
  return `Paused ${url}; new events are queued.`;
});

export const webhookResume = urlCommand("resume a URL; queued events are sent first", (platen, blog, url) => {
  resumeWebhook(platen, blog, url);
  return `Resumed ${url}; queued events are sent first.`;
});

export const webhookEnable = urlCommand(
  "re-enable a URL that was disabled after failures",
  (platen, blog, url) => {
    enableWebhook(platen, blog, url);
    return `Enabled ${url}; to resend failed deliveries, run: platen webhook redeliver --failed-since TIME --blog ${blog.slug}`;
  },
);

export const webhookTest = urlCommand("send a test event and print the delivery ID", (platen, blog, url) =>
  String(sendTestEvent(platen, blog, url)),
);

export const webhookRotateSecret = folderCommand(
  { help: "replace the signing secret; the old one works for 24 hours", options: { blog } },
  (platen, { values }) => rotateSecret(platen, requireBlog(platen, values.blog)),
);

export const webhookList = listCommand(
  { help: "list webhook URLs and their state" },
  ["id", "blog", "url", "is_on", "paused_at", "sent_after", "failing_since", "disabled_because"],
  (platen, { values }) =>
    listWebhooks(platen).map(({ quietPeriod, ...webhook }) => ({
      id: webhook.id,
      blog: (blogById(platen, webhook.blogId) as Blog).slug,
      url: webhook.url,
      is_on: webhook.disabledAt === null,
      ...toRow(webhook, ["pausedAt", "failingSince", "disabledAt", "disabledBecause"]),
      quiet_ms: quietPeriod,
      created_at: webhook.createdAt,
      ...(!values.json && quietPeriod > 0 && { sent_after: `${durationText(quietPeriod)} without events` }),
    })),
);

const DELIVERY_COLUMNS = [
  ...["id", "event", "url", "state", "attempts", "status", "duration_ms"],
  ...["occurred_at", "next_attempt_at", "failure"],
];
const optionalDelivery = idOf("delivery", "webhook log", "[ID]");

export const webhookLog = folderCommand(
  {
    help: "list recent deliveries, or the attempts of delivery ID",
    operands: [optionalDelivery],
    options: { json },
  },
  (platen, { values: { json }, operands: [id] }) => {
    if (id === undefined) {
      const rows = listDeliveries(platen, webhookChannel).map(({ duration, dueAt, ...delivery }) => ({
        ...toRow(delivery, ["id", "blog", "event", "url", "state", "attempts", "status", "failure"]),
        duration_ms: duration,
        occurred_at: delivery.occurredAt,
        next_attempt_at: dueAt,
      }));
      return formatList(rows, DELIVERY_COLUMNS, json);
    }
    const rows = listAttempts(platen, id).map(({ duration, answer, ...attempt }) => ({
      ...toRow(attempt, ["at", "status"]),
      duration_ms: duration,
      failure: attempt.failure,
      answer: json ? answer : answer.replace(/\s+/g, " "),
    }));
    return formatList(rows, ["at", "status", "duration_ms", "failure", "answer"], json);
  },
);

export const webhookRedeliver = folderCommand(
  {
    help: "send a delivery again, or all that failed since a time",
    operands: [optionalDelivery],
    options: {
      "failed-since": parsed("TIME", "date or time, in UTC or with an offset", parseInstant),
      blog: onlyBlog,
    },
  },
  (platen, { values: { "failed-since": since, blog: slug }, operands: [id] }) => {
    if (id !== undefined && since === undefined && slug === undefined) {
      redeliver(platen, id);
      return `Queued delivery ${id} again.`;
    }
    if (id !== undefined || since === undefined)
      throw new ArgumentError("Either an ID or --failed-since is required");
    const count = redeliverFailed(platen, webhookChannel, since, findScope(platen, slug));
    return `Queued ${counted(count, "delivery", "deliveries")} again.`;
  },
);

function parseInstant(text: string, name: string): Date {
  const instant = instantOf(text, "UTC");
  if (!instant) throw new ArgumentError(`${name} is "${text}"; it must be like 2026-03-01T09:00Z`);
  return instant;
}
