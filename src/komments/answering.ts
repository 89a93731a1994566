import { eq } from "drizzle-orm";
import { komments } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid, notFound } from "../errors";
import type { Platen } from "../platen";
import { assertDiskSpace } from "../runtime/disk-space";
import { recordAnswerEvent } from "./answer-events";
import type { Komment } from "./komment";
import { MAX_INPUT_LENGTH } from "./reader-input";
import { renderKomment } from "./writing-komments";

/**
 * Sets the owner's reply, which is shown below the komment. An empty reply removes it. Replying approves the komment.
 * @param text Markdown
 * @throws Refusal: invalid, busy, missing
 */
export async function answerKomment(
  platen: Platen,
  { id }: Pick<Komment, "id">,
  text: string,
): Promise<void> {
  const source = text.replace(/\r\n?/g, "\n").trim();
  if (source.length > MAX_INPUT_LENGTH.text)
    throw invalid({ text: [`must be at most ${MAX_INPUT_LENGTH.text} characters`] });
  assertDiskSpace(platen);
  const answer = source && {
    ...{ answer: source, answerHtml: await renderKomment(source), answeredAt: platen.now() },
    status: "shown" as const,
  };
  inTransaction(platen, () => {
    const [changed] = platen.db
      .update(komments)
      .set(answer || { answer: null, answerHtml: null, answeredAt: null })
      .where(eq(komments.id, id))
      .returning()
      .all();
    if (!changed) throw notFound("komment");
    recordAnswerEvent(platen, changed);
  });
}
