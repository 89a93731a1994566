import { asc, eq } from "drizzle-orm";
import type { Blog } from "../../../blogs/blogs";
import { messages, posts } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";
import type { Platen } from "../../../platen";
import { type ExportContext, writeJsonLines } from "../export-blog";

export async function writeMessagesFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  context: ExportContext,
): Promise<void> {
  const lines = listMessages(platen, blog).map(messageLine);
  context.report.messages += await writeJsonLines(context, "messages.jsonl", at, lines);
}

/** Omits the secret for editing the komment. */
export function kommentLine({
  name,
  address,
  source,
  status,
  createdAt,
  editedAt,
  answer,
  answeredAt,
}: Komment) {
  return {
    ...{ name, address, text: source, status, at: createdAt, edited_at: editedAt ?? undefined },
    answer: answer === null ? undefined : { text: answer, at: answeredAt },
  };
}

function messageLine(message: typeof messages.$inferSelect & { slug: string | null }) {
  const { name, address, text, createdAt, status, slug } = message;
  return { name, address, text, at: createdAt, status, page: slug ?? undefined };
}

function listMessages({ db }: Platen, blog: Blog) {
  return db
    .select({ message: messages, slug: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(eq(messages.blogId, blog.id))
    .orderBy(asc(messages.id))
    .all()
    .map(({ message, slug }) => ({ ...message, slug }));
}
