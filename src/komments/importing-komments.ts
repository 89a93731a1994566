import { prepareInsert } from "../database/prepared";
import { komments } from "../database/schema";
import type { Platen } from "../platen";
import type { PostRow } from "../posts/post/post";
import { hashSecret, newSecret } from "../secrets";
import { cleanText, isInvisible } from "../text/clean-text";
import type { KommentStatus } from "./komment";
import { MAX_INPUT_LENGTH } from "./komment-limits";
import { cleanLine, isContactAddress } from "./reader-input-check";
import { renderKomment } from "./writing-komments";

export interface ImportedKomment {
  name: string;
  /** Website or e-mail address. Any other text is dropped. */
  address: string;
  text: string;
  status: KommentStatus;
  at: Date;
  editedAt?: Date | null;
  answer?: { text: string; at: Date };
}

export type PreparedKomment = Omit<typeof komments.$inferInsert, "postId" | "blogId" | "editHash">;

/** Does not limit the length of the text. @throws Refusal: invalid, busy */
export async function prepareKomment(imported: ImportedKomment): Promise<PreparedKomment> {
  const { status, at, editedAt, answer } = imported;
  const name = cleanLine(imported.name).slice(0, MAX_INPUT_LENGTH.name);
  const address = cleanLine(imported.address);
  const source = tidy(imported.text);
  return {
    name: isInvisible(name) ? "Anonymous" : name,
    address: address.length <= MAX_INPUT_LENGTH.address && isContactAddress(address) ? address : "",
    ...{ source, html: await renderKomment(source) },
    ...{ status, createdAt: at, editedAt },
    ...(answer && {
      answer: tidy(answer.text),
      answerHtml: await renderKomment(tidy(answer.text)),
      answeredAt: answer.at,
    }),
  };
}

/** Call this in the transaction that writes the post. @param ready komments in display order */
export function importKomments(platen: Platen, { id: postId, blogId }: PostRow, ready: PreparedKomment[]) {
  // Imported komments have no edit link, so nobody needs to know the secret.
  for (const komment of ready)
    insertKomment(platen, { ...komment, postId, blogId, editHash: hashSecret(newSecret()) });
}

const insertKomment = prepareInsert(komments);

function tidy(text: string): string {
  return cleanText(text).replace(/\r\n?/g, "\n").trim();
}
