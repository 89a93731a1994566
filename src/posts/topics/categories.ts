import { rowWith } from "../../database/prepared";
import { categories } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Category } from "../post/post";
import { addTopic, topicNamed } from "./topic-names";

/**
 * The category asked for by id or, less strongly, by name; made when its name is new. To be called in a transaction.
 * @returns undefined where none is asked for, null where it is to be cleared
 * @throws Refusal (invalid) for an id that is none of the blog's
 */
export function chosenCategory(
  platen: Platen,
  blogId: number,
  { category, categoryId }: { category?: string | null; categoryId?: number | null },
): number | null | undefined {
  if (categoryId !== undefined) {
    if (categoryId === null) return null;
    const found = categoryOfBlog(platen, blogId, categoryId);
    if (!found) throw invalid({ category_id: ["names no category of this blog"] });
    return found.id;
  }
  if (category === undefined) return undefined;
  if (!category) return null;
  return (topicNamed(platen, "category", blogId, category) ?? addTopic(platen, "category", blogId, category))
    .id;
}

const withId = rowWith(categories, ["id"]);

export function categoryById(platen: Platen, id: number): Category | undefined {
  return withId(platen, { id });
}

export function categoryOfBlog(platen: Platen, blogId: number, id: number): Category | undefined {
  const category = categoryById(platen, id);
  return category?.blogId === blogId ? category : undefined;
}
