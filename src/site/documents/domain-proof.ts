import { proofOf } from "../../blogs/domain-check";
import type { BlogRequest, Document } from "../route";

/** What only this Platen can answer, by which it finds out that a blog's domain leads here. */
export function proof({ platen }: BlogRequest, question: string): Document | null {
  const body = proofOf(platen, question);
  return body === null ? null : { contentType: "text/plain; charset=utf-8", body };
}
