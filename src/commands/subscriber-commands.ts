import { inTransaction } from "../database/transactions";
import { Refusal } from "../errors";
import {
  addSubscriber,
  eachSubscriber,
  removeSubscriber,
  requireMailAddress,
  SUBSCRIBER_STATES,
  type SubscriberState,
  subscriberWithAddress,
} from "../newsletter/subscribers";
import { counted } from "../text/numbers";
import { importSubscribers, subscriberLines } from "../transfer/subscribers/subscriber-files";
import { command } from "./shell/command";
import { ArgumentError, CommandError } from "./shell/command-errors";
import { blog, json } from "./shell/common-options";
import { withPlaten } from "./shell/data-folder";
import { explainSystemError } from "./shell/file-errors";
import { requireBlog } from "./shell/lookups";
import { print, printList } from "./shell/printing";
import { option } from "./shell/usage";

const COLUMNS = ["address", "state", "language", "since"];

export const subscriberList = command(
  {
    help: "list the subscribers of a blog",
    options: {
      blog,
      state: option("STATE", "asked (not confirmed), confirmed, left or bounced [all]"),
      json,
    },
  },
  async ({ values }) => {
    const { state } = values;
    if (state !== undefined && !SUBSCRIBER_STATES.includes(state as SubscriberState))
      throw new ArgumentError(`--state is "${state}"; it must be one of ${SUBSCRIBER_STATES.join(", ")}`);
    await withPlaten(values.data, async (platen) => {
      const rows = [...eachSubscriber(platen, requireBlog(platen, values.blog))]
        .filter((subscriber) => state === undefined || subscriber.state === state)
        .map(({ id, address, state, language, createdAt, confirmedAt }) => ({
          ...{ id, address, state, language },
          since: confirmedAt ?? createdAt,
        }));
      await printList(rows, COLUMNS, values.json);
    });
  },
);

export const subscriberAdd = command(
  { help: "add somebody who agreed to get the newsletter", operands: ["ADDRESS"], options: { blog } },
  async ({ values, operands: [typed] }) => {
    const address = requireMailAddress(typed);
    await withPlaten(values.data, async (platen) => {
      const outcome = inTransaction(platen, () =>
        addSubscriber(platen, requireBlog(platen, values.blog), address),
      );
      if (outcome === "left")
        throw new CommandError(
          `${address} has unsubscribed. Only they can subscribe again, on the newsletter's page.`,
        );
      await print(outcome === "added" ? `${address} is subscribed.` : `${address} was already subscribed.`);
    });
  },
);

export const subscriberRemove = command(
  { help: "delete a subscriber permanently", operands: ["ADDRESS"], options: { blog } },
  async ({ values, operands: [typed] }) => {
    const address = requireMailAddress(typed);
    await withPlaten(values.data, async (platen) => {
      inTransaction(platen, () => {
        const found = subscriberWithAddress(platen, requireBlog(platen, values.blog), address);
        if (!found) throw new CommandError(`${address} is not a subscriber.`);
        removeSubscriber(platen, found);
      });
      await print(`${address} is deleted.`);
    });
  },
);

export const subscriberImport = command(
  { help: "import a CSV file that has an email column", operands: ["FILE"], options: { blog } },
  async ({ values, operands: [file] }) => {
    await withPlaten(values.data, async (platen) => {
      const into = requireBlog(platen, values.blog);
      try {
        const report = await importSubscribers(platen, into, Bun.file(file).stream());
        const { added, present, left, inactive, skipped, errors } = report;
        for (const error of errors) console.error(error);
        await print(
          `${counted(added, "subscriber")} added. Not added: ${present} already subscribed, ${left} unsubscribed earlier, ${inactive} inactive in the file, ${skipped} unusable.`,
        );
      } catch (error) {
        if (error instanceof Refusal) throw new CommandError(error.message);
        throw new CommandError(`${file} cannot be read: ${explainSystemError(error)}.`);
      }
    });
  },
);

export const subscriberExport = command(
  { help: "print all subscribers as CSV", options: { blog } },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      await print([...subscriberLines(platen, requireBlog(platen, values.blog))].join("").trimEnd());
    });
  },
);
