import { instantOf } from "../../blogs/time-zone";
import { redeliver, redeliverFailed } from "../../webhooks/log/redelivering";
import { command } from "../shell/command";
import { ArgumentFault } from "../shell/command-faults";
import { withPlaten } from "../shell/data-folder";
import { blogNamed, idIn } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "send a delivery again, or all that failed since a time",
    operand: { name: "ID", isNeeded: false },
    options: {
      "failed-since": { type: "string", value: "TIME", does: "a date or time in UTC, or with its offset" },
      blog: { type: "string", value: "SLUG", does: "with --failed-since: of this blog only" },
    },
  },
  async ({ values: { "failed-since": failedSince, blog, data }, operand }) => {
    if (operand !== undefined && failedSince === undefined && blog === undefined) await one(data, operand);
    else if (operand === undefined && failedSince !== undefined)
      await allFailedSince(data, failedSince, blog);
    else throw new ArgumentFault("It takes either an ID or --failed-since");
  },
);

async function one(data: string | undefined, operand: string): Promise<void> {
  const id = idIn(operand, "delivery", "webhook log");
  await withPlaten(data, async (platen) => {
    redeliver(platen, id);
    await print(`Delivery ${id} is sent again.`);
  });
}

async function allFailedSince(data: string | undefined, text: string, slug?: string): Promise<void> {
  const since = instantOf(text, "UTC");
  if (since === null)
    throw new ArgumentFault(`--failed-since is "${text}"; it must be like 2026-03-01T09:00Z`);
  await withPlaten(data, async (platen) => {
    const count = redeliverFailed(platen, since, slug === undefined ? undefined : blogNamed(platen, slug));
    await print(count === 1 ? "1 delivery is sent again." : `${count} deliveries are sent again.`);
  });
}
