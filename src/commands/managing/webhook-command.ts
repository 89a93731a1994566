import { type Blog, blogById } from "../../blogs/blogs";
import { instantOf } from "../../blogs/time-zone";
import { parseDuration } from "../../config";
import type { Platen } from "../../platen";
import { listAttempts, listDeliveries } from "../../webhooks/delivery-log";
import { redeliver, redeliverFailed } from "../../webhooks/redelivering";
import { rotateSecret } from "../../webhooks/signing-secrets";
import { sendTestEvent } from "../../webhooks/test-event";
import { addWebhook, enableWebhook, listWebhooks, removeWebhook } from "../../webhooks/webhook-urls";
import { argumentsOf, misused, secondWordMissing } from "../shell/arguments";
import { withPlaten } from "../shell/data-folder";
import { print, printList } from "../shell/printing";
import { blogNamed } from "./blog-command";

const VERBS: Record<string, (args: string[]) => Promise<number>> = {
  add,
  remove,
  enable,
  test,
  "rotate-secret": rotate,
  list,
  log,
  redeliver: sendAgain,
};

/** `platen webhook add|remove|enable|test|rotate-secret|list|log|redeliver` */
export async function webhook([verb, ...args]: string[]): Promise<number> {
  const run = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!run) throw secondWordMissing("webhook", verb);
  return await run(args);
}

async function add(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("webhook add", args);
  const quietPeriod = quietPeriodOf(values.quiet);
  return await withPlaten(values.data, async (platen) => {
    await print(addWebhook(platen, blogNamed(platen, values.blog), operand, { quietPeriod }));
    return 0;
  });
}

function quietPeriodOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const quietPeriod = /^0[smhd]?$/.test(text) ? 0 : parseDuration(text);
  if (quietPeriod === null)
    throw misused("webhook add", `--quiet is "${text}"; it must be a number and s, m, h or d, like 2m`);
  return quietPeriod;
}

async function remove(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("webhook remove", args);
  return await withPlaten(values.data, async (platen) => {
    removeWebhook(platen, blogNamed(platen, values.blog), operand);
    await print(`${operand} is removed.`);
    return 0;
  });
}

async function enable(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("webhook enable", args);
  return await withPlaten(values.data, async (platen) => {
    enableWebhook(platen, blogNamed(platen, values.blog), operand);
    await print(`${operand} is on; platen webhook redeliver --failed-since TIME sends what it missed.`);
    return 0;
  });
}

async function test(args: string[]): Promise<number> {
  const { values, operand = "" } = argumentsOf("webhook test", args);
  return await withPlaten(values.data, async (platen) => {
    await print(String(sendTestEvent(platen, blogNamed(platen, values.blog), operand)));
    return 0;
  });
}

async function rotate(args: string[]): Promise<number> {
  const { values } = argumentsOf("webhook rotate-secret", args);
  return await withPlaten(values.data, async (platen) => {
    await print(rotateSecret(platen, blogNamed(platen, values.blog)));
    return 0;
  });
}

async function list(args: string[]): Promise<number> {
  const { values } = argumentsOf("webhook list", args);
  return await withPlaten(values.data, async (platen) => {
    const rows = listWebhooks(platen).map((row) => ({
      id: row.id,
      blog: (blogById(platen, row.blogId) as Blog).slug,
      url: row.url,
      is_on: row.disabledAt === null,
      failing_since: row.failingSince,
      disabled_at: row.disabledAt,
      disabled_because: row.disabledBecause,
      quiet_ms: row.quietPeriod,
      created_at: row.createdAt,
    }));
    const columns = ["id", "blog", "url", "is_on", "quiet_ms", "failing_since", "disabled_because"];
    await printList(rows, columns, values.json);
    return 0;
  });
}

async function log(args: string[]): Promise<number> {
  const { values, operand } = argumentsOf("webhook log", args);
  const id = operand === undefined ? undefined : idOf("webhook log", operand);
  return await withPlaten(values.data, async (platen) => {
    if (id === undefined) await printDeliveries(platen, values.json);
    else await printAttempts(platen, id, values.json);
    return 0;
  });
}

async function printDeliveries(platen: Platen, asJson: boolean): Promise<void> {
  const rows = listDeliveries(platen).map((row) => ({
    id: row.id,
    blog: row.blog,
    event: row.event,
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    status: row.status,
    failure: row.failure,
    duration_ms: row.duration,
    occurred_at: row.occurredAt,
    next_attempt_at: row.dueAt,
  }));
  const columns = ["id", "event", "url", "state", "attempts", "status", "duration_ms"];
  await printList(rows, [...columns, "occurred_at", "next_attempt_at", "failure"], asJson);
}

async function printAttempts(platen: Platen, id: number, asJson: boolean): Promise<void> {
  const rows = listAttempts(platen, id).map((row) => ({
    at: row.at,
    status: row.status,
    duration_ms: row.duration,
    failure: row.failure,
    answer: asJson ? row.answer : row.answer.replace(/\s+/g, " "),
  }));
  await printList(rows, ["at", "status", "duration_ms", "failure", "answer"], asJson);
}

async function sendAgain(args: string[]): Promise<number> {
  const { values, operand } = argumentsOf("webhook redeliver", args);
  const { "failed-since": text } = values;
  if ((operand === undefined) === (text === undefined))
    throw misused("webhook redeliver", "It takes either an ID or --failed-since");
  const since = text === undefined ? null : instantOf(text, "UTC");
  if (text !== undefined && since === null)
    throw misused("webhook redeliver", `--failed-since is "${text}"; it must be like 2026-03-01T09:00Z`);
  const id = operand === undefined ? null : idOf("webhook redeliver", operand);
  return await withPlaten(values.data, async (platen) => {
    if (id !== null) {
      redeliver(platen, id);
      await print(`Delivery ${id} is sent again.`);
    } else {
      const count = redeliverFailed(platen, since as Date);
      await print(count === 1 ? "1 delivery is sent again." : `${count} deliveries are sent again.`);
    }
    return 0;
  });
}

function idOf(name: "webhook log" | "webhook redeliver", text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text))
    throw misused(name, `"${text}" is no delivery's ID; platen webhook log shows them`);
  return Number(text);
}
