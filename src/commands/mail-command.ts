import { sendTestMail } from "../mail/test-mail";
import { command } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { withPlaten } from "./shell/data-folder";
import { print } from "./shell/printing";

export const mailTest = command(
  { help: "send a test e-mail and print the relay's response", operands: ["ADDRESS"] },
  async ({ values, operands: [address = ""] }) => {
    const { sent, message } = await withPlaten(values.data, (platen) => sendTestMail(platen, address));
    if (!sent) throw new CommandError(message);
    await print(message);
  },
);
