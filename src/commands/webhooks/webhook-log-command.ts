import type { Platen } from "../../platen";
import { listAttempts, listDeliveries } from "../../webhooks/log/deliveries-in-order";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { idIn } from "../shell/named-rows";
import { printList } from "../shell/printing";

export default command(
  {
    does: "list the deliveries of the last 30 days, or every attempt at the one with this ID",
    operand: { name: "ID", isNeeded: false },
    options: { json },
  },
  async ({ values, operand }) => {
    const id = operand === undefined ? undefined : idIn(operand, "delivery", "webhook log");
    await withPlaten(values.data, async (platen) => {
      if (id === undefined) await printDeliveries(platen, values.json);
      else await printAttempts(platen, id, values.json);
    });
  },
);

async function printDeliveries(platen: Platen, asJson: boolean): Promise<void> {
  const rows = listDeliveries(platen).map((delivery) => ({
    id: delivery.id,
    blog: delivery.blog,
    event: delivery.event,
    url: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts,
    status: delivery.status,
    failure: delivery.failure,
    duration_ms: delivery.duration,
    occurred_at: delivery.occurredAt,
    next_attempt_at: delivery.dueAt,
  }));
  const columns = ["id", "event", "url", "state", "attempts", "status", "duration_ms"];
  await printList(rows, [...columns, "occurred_at", "next_attempt_at", "failure"], asJson);
}

async function printAttempts(platen: Platen, id: number, asJson: boolean): Promise<void> {
  const rows = listAttempts(platen, id).map((attempt) => ({
    at: attempt.at,
    status: attempt.status,
    duration_ms: attempt.duration,
    failure: attempt.failure,
    answer: asJson ? attempt.answer : attempt.answer.replace(/\s+/g, " "),
  }));
  await printList(rows, ["at", "status", "duration_ms", "failure", "answer"], asJson);
}
