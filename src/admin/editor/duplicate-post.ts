import { findPost } from "../../posts/reading/finding-posts";
import { type Saved, savePost } from "../../posts/writing/saving";
import type { BlogVisit } from "../layout/visit";
import { changedFields, type SentPost } from "./form/post-form";

export function duplicatePost(visitor: BlogVisit, id: number, sent: SentPost): Promise<Saved> {
  const { call, blog } = visitor;
  const { publishedAt: _, slug: __, ...changes } = changedFields(blog, sent.fields, null);
  const request = () => {
    const { properties } = findPost(call.platen, visitor, id, blog.id);
    return { blog, before: null, changes: { ...changes, properties } };
  };
  return savePost(call.platen, visitor, request, (save) => save());
}
