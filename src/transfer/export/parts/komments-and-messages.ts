import { asc, eq } from "drizzle-orm";
import { messages, posts } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";
import { type ExportContext, writeJsonLines } from "../export-blog";

export async function writeMessagesFile(context: ExportContext, at: Date): Promise<void> {
  const rows = context.platen.db
    .select({ message: messages, page: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(eq(messages.blogId, context.blog.id))
    .orderBy(asc(messages.id))
    .all();
  const lines = rows.map(({ message: { name, address, text, createdAt, status }, page }) => {
    return { name, address, text, at: createdAt, status, page: page ?? undefined };
  });
  context.report.messages += await writeJsonLines(context, "messages.jsonl", at, lines);
}

/** Omits the secret for editing the komment. */
export function kommentLine(komment: Komment) {
  const { name, address, source, status, createdAt, editedAt, answer, answeredAt } = komment;
  return {
    ...{ name, address, text: source, status, at: createdAt, edited_at: editedAt ?? undefined },
    answer: answer === null ? undefined : { text: answer, at: answeredAt },
  };
}
