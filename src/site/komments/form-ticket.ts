import type { Platen } from "../../platen";
import { newSecret, signText, verifySignature } from "../../secrets";

const PURPOSE = "reader forms";
const LINK_PURPOSE = "private links";

/** A signed hidden field of a reader's form: which form it is, and when it was opened. */
export interface Ticket {
  text: string;
  openedAt: Date;
}

/** @param form which form it is for, of which post */
export function newTicket(platen: Platen, form: string): Ticket {
  const openedAt = platen.now();
  const unsigned = `${openedAt.getTime().toString(36)}.${newSecret()}`;
  return { text: `${unsigned}.${signText(platen, PURPOSE, `${form} ${unsigned}`)}`, openedAt };
}

/** null where we did not make it, or for another form. */
export function verifiedTicket(platen: Platen, form: string, text: string): Ticket | null {
  const [, unsigned = "", time = "", signature = ""] = /^(([0-9a-z]+)\.[\w-]+)\.([\w-]+)$/.exec(text) ?? [];
  if (!verifySignature(platen, PURPOSE, `${form} ${unsigned}`, signature)) return null;
  return { text, openedAt: new Date(Number.parseInt(time, 36)) };
}

/** The secret of what is written with this form: the form sent twice has the same one. */
export function linkSecret(platen: Platen, ticket: Ticket): string {
  return signText(platen, LINK_PURPOSE, ticket.text);
}

/** Does the text look like such a secret? */
export function isLinkSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
