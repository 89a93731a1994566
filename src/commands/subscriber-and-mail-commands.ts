import { inTransaction } from "../database/transactions";
import { Refusal } from "../errors";
import { sendTestMail } from "../mail/smtp";
import {
  addSubscriber,
  eachSubscriber,
  removeSubscriber,
  requireMailAddress,
  SUBSCRIBER_STATES,
  subscriberWithAddress,
} from "../newsletter/subscribers";
import { counted } from "../text/numbers";
import { importSubscribers, subscriberLines } from "../transfer/subscriber-files";
import { folderCommand, requireBlog } from "./shell/command";
import { CommandError, explainSystemError } from "./shell/command-errors";
import { print, printList, toRow } from "./shell/terminal";
import { blog, choiceOf, json, parsed } from "./shell/usage";

const COLUMNS = ["address", "state", "language", "since"];

export const subscriberList = folderCommand(
  {
    help: "list the subscribers of a blog",
    options: {
      blog,
      state: parsed(
        "STATE",
        "asked (not confirmed), confirmed, left or bounced [all]",
        choiceOf(SUBSCRIBER_STATES),
      ),
      json,
    },
  },
  async (platen, { values }) => {
    const rows = [...eachSubscriber(platen, requireBlog(platen, values.blog))]
      .filter(({ state }) => values.state === undefined || state === values.state)
      .map((subscriber) => ({
        ...toRow(subscriber, ["id", "address", "state", "language"]),
        since: subscriber.confirmedAt ?? subscriber.createdAt,
      }));
    await printList(rows, COLUMNS, values.json);
  },
);

const mailAddress = { name: "ADDRESS", parse: requireMailAddress };

export const subscriberAdd = folderCommand(
  { help: "add someone who has agreed to get the newsletter", operands: [mailAddress], options: { blog } },
  async (platen, { values, operands: [address] }) => {
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

export const subscriberRemove = folderCommand(
  { help: "delete a subscriber permanently", operands: [mailAddress], options: { blog } },
  async (platen, { values, operands: [address] }) => {
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

export const mailTest = folderCommand(
  { help: "send a test e-mail and print the relay's response", operands: ["ADDRESS"] },
  async (platen, { operands: [address] }) => {
    const { sent, message } = await sendTestMail(platen, address);
    if (!sent) throw new CommandError(message);
    await print(message);
  },
);
