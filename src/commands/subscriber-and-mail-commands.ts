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
import { folderCommand, listCommand, requireBlog } from "./shell/command";
import { CommandError, explainSystemError } from "./shell/command-errors";
import { toRow } from "./shell/terminal";
import { blog, choiceOf, parsed } from "./shell/usage";

export const subscriberList = listCommand(
  {
    help: "list the subscribers of a blog",
    options: {
      blog,
      state: parsed(
        "STATE",
        "asked (not confirmed), confirmed, left or bounced [all]",
        choiceOf(SUBSCRIBER_STATES),
      ),
    },
  },
  ["address", "state", "language", "since"],
  (platen, { values }) =>
    [...eachSubscriber(platen, requireBlog(platen, values.blog))]
      .filter(({ state }) => values.state === undefined || state === values.state)
      .map((subscriber) => ({
        ...toRow(subscriber, ["id", "address", "state", "language"]),
        since: subscriber.confirmedAt ?? subscriber.createdAt,
      })),
);

const mailAddress = { name: "ADDRESS", parse: requireMailAddress };

export const subscriberAdd = folderCommand(
  { help: "add someone who has agreed to get the newsletter", operands: [mailAddress], options: { blog } },
  (platen, { values, operands: [address] }) => {
    const outcome = inTransaction(platen, () =>
      addSubscriber(platen, requireBlog(platen, values.blog), address),
    );
    if (outcome === "left")
      throw new CommandError(
        `${address} has unsubscribed. Only this reader can subscribe again, on the newsletter's page.`,
      );
    return outcome === "added" ? `Added ${address}.` : `${address} is already subscribed.`;
  },
);

export const subscriberRemove = folderCommand(
  { help: "delete a subscriber permanently", operands: [mailAddress], options: { blog } },
  (platen, { values, operands: [address] }) => {
    inTransaction(platen, () => {
      const found = subscriberWithAddress(platen, requireBlog(platen, values.blog), address);
      if (!found) throw new CommandError(`${address} is not a subscriber.`);
      removeSubscriber(platen, found);
    });
    return `Deleted ${address}.`;
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
      return `Added ${counted(added, "subscriber")}. Not added: ${present} already subscribed, ${left} unsubscribed earlier, ${inactive} inactive in the file, ${skipped} unusable.`;
    } catch (error) {
      if (error instanceof Refusal) throw new CommandError(error.message);
      throw new CommandError(`${file} cannot be read: ${explainSystemError(error)}.`);
    }
  },
);

export const subscriberExport = folderCommand(
  { help: "print all subscribers as CSV", options: { blog } },
  (platen, { values }) => [...subscriberLines(platen, requireBlog(platen, values.blog))].join("").trimEnd(),
);

export const mailTest = folderCommand(
  { help: "send a test e-mail and print the relay's response", operands: ["ADDRESS"] },
  async (platen, { operands: [address] }) => {
    const { sent, message } = await sendTestMail(platen, address);
    if (!sent) throw new CommandError(message);
    return message;
  },
);
