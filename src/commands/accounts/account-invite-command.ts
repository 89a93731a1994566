import { invitationUrl, invite } from "../../accounts/invitations";
import { command } from "../shell/command";
import { withPlaten } from "../shell/data-folder";
import { print } from "../shell/printing";

export default command(
  {
    does: "print a link by which somebody makes an account of their own, once, within 7 days",
    options: {
      for: { type: "string", value: "TEXT", does: "a note for the list of who is invited" },
      admin: { type: "boolean", does: "they may look after the whole instance" },
    },
  },
  async ({ values: { for: forWhom, admin: isAdmin, data } }) => {
    await withPlaten(data, async (platen) => {
      await print(invitationUrl(platen, invite(platen, { invitedBy: null, forWhom, isAdmin })));
    });
  },
);
