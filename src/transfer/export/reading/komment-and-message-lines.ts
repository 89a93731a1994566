import type { messages } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";

/** A komment as files have it: without the secret by which its writer could change it. */
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

/** @param message with the slug of the page it was written on */
export function messageLine(message: typeof messages.$inferSelect & { slug: string | null }) {
  const { name, address, text, createdAt, status, slug } = message;
  return { name, address, text, at: createdAt, status, page: slug ?? undefined };
}
