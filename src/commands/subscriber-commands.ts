import { inTransaction } from "../database/transactions";
import { Refusal } from "../errors";
import {
  addSubscriber,
  eachSubscriber,
  removeSubscriber,
  requireMailAddress,
  SUBSCRIBER_STATES,
  subscriberWithAddress,
} from "../newsletter/subscribers";
import { counted } from "../text/numbers";
import { importSubscribers, subscriberLines } from "../transfer/subscribers/subscriber-files";
import { folderCommand, parsedCommand } from "./shell/command";
import { CommandError, explainSystemError } from "./shell/command-errors";
import { parseChoice, requireBlog } from "./shell/lookups";
import { print, printList } from "./shell/printing";
import { blog, json, option } from "./shell/usage";

const COLUMNS = ["address", "state", "language", "since"];

export const subscriberList = parsedCommand(
  {
    help: "list the subscribers of a blog",
    options: {
      blog,
      state: option("STATE", "asked (not confirmed), confirmed, left or bounced [all]"),
      json,
    },
  },
  ({ values: { state } }) =>
    state === undefined ? undefined : parseChoice("--state", state, SUBSCRIBER_STATES),
  async (platen, { values }, state) => {
    const rows = [...eachSubscriber(platen, requireBlog(platen, values.blog))]
      .filter((subscriber) => state === undefined || subscriber.state === state)
      .map(({ id, address, state, language, createdAt, confirmedAt }) => ({
        ...{ id, address, state, language },
        since: confirmedAt ?? createdAt,
      }));
    await printList(rows, COLUMNS, values.json);
  },
);

export const subscriberAdd = parsedCommand(
  { help: "add someone who has agreed to get the newsletter", operands: ["ADDRESS"], options: { blog } },
  ({ operands: [address] }) => requireMailAddress(address),
  async (platen, { values }, address) => {
    const outcome = inTransaction(platen, () =>
      addSubscriber(platen, requireBlog(platen, values.blog), address),
    );
    if (outcome === "left")
      throw new CommandError(
        `${address} has unsubscribed. Only this reader can subscribe again, on the newsletter's page.`,
      );
    await print(outcome === "added" ? `Added ${address}.` : `${address} is already subscribed.`);
  },
);

export const subscriberRemove = parsedCommand(
  { help: "delete a subscriber permanently", operands: ["ADDRESS"], options: { blog } },
  ({ operands: [address] }) => requireMailAddress(address),
  async (platen, { values }, address) => {
    inTransaction(platen, () => {
      const found = subscriberWithAddress(platen, requireBlog(platen, values.blog), address);
      if (!found) throw new CommandError(`${address} is not a subscriber.`);
      removeSubscriber(platen, found);
    });
    await print(`Deleted ${address}.`);
  },
);

export const subscriberImport = folderCommand(
  { help: "import a CSV file that has an email column", operands: ["FILE"], options: { blog } },
  async (platen, { values, operands: [file] }) => {
    const into = requireBlog(platen, values.blog);
    try {
      const report = await importSubscribers(platen, into, Bun.file(file).stream());
      const { added, present, left, inactive, skipped, errors } = report;
      for (const error of errors) console.error(error);
      await print(
        `Added ${counted(added, "subscriber")}. Not added: ${present} already subscribed, ${left} unsubscribed earlier, ${inactive} inactive in the file, ${skipped} unusable.`,
      );
    } catch (error) {
      if (error instanceof Refusal) throw new CommandError(error.message);
      throw new CommandError(`${file} cannot be read: ${explainSystemError(error)}.`);
    }
  },
);

export const subscriberExport = folderCommand(
  { help: "print all subscribers as CSV", options: { blog } },
  async (platen, { values }) => {
    await print([...subscriberLines(platen, requireBlog(platen, values.blog))].join("").trimEnd());
  },
);
