import { recoveryCodesLeft, turnOffTwoFactor, twoFactorSince } from "../../accounts/two-factor/two-factor";
import { counted } from "../../text/numbers";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { accountNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

export default command(
  {
    does: "say whether signing in asks for codes from an app; --off for somebody who has lost the app",
    options: {
      email: { type: "string", value: "E", isNeeded: true, does: "the account's e-mail address" },
      off: { type: "boolean", does: "ask for no codes any more; they can be set up anew" },
    },
  },
  async ({ values: { email, off, data } }) => {
    await withPlaten(data, async (platen) => {
      const account = accountNamed(platen, email);
      if (off) {
        turnOffTwoFactor(platen, account);
        return await print(`${account.email} signs in without codes.`);
      }
      const since = twoFactorSince(platen, account);
      const left = counted(recoveryCodesLeft(platen, account), "recovery code");
      await print(
        since
          ? `${account.email} signs in with codes since ${since.toISOString().slice(0, 10)}; ${left} left.`
          : `${account.email} signs in without codes.`,
      );
    });
  },
);
