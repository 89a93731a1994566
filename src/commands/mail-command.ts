import { sendTestMail } from "../mail/smtp";
import { folderCommand } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { print } from "./shell/printing";

export const mailTest = folderCommand(
  { help: "send a test e-mail and print the relay's response", operands: ["ADDRESS"] },
  async (platen, { operands: [address] }) => {
    const { sent, message } = await sendTestMail(platen, address);
    if (!sent) throw new CommandError(message);
    await print(message);
  },
);
