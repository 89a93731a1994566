import { and, asc, eq, sql } from "drizzle-orm";
import { untilChanged } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { categories } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Category } from "../post/post";
import { addTopic, nameKey } from "./topic-names";

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
  return category ? categoryNamed(platen, blogId, category).id : null;
}

const withNameKey = prepared((db) =>
  db
    .select()
    .from(categories)
    .where(
      and(
        eq(categories.blogId, sql.placeholder("blogId")),
        eq(categories.nameKey, sql.placeholder("nameKey")),
      ),
    )
    .prepare(),
);

export function findCategory(platen: Platen, blogId: number, name: string): Category | undefined {
  return withNameKey(platen).get({ blogId, nameKey: nameKey(name) });
}

const withSlug = prepared((db) =>
  db
    .select()
    .from(categories)
    .where(
      and(eq(categories.blogId, sql.placeholder("blogId")), eq(categories.slug, sql.placeholder("slug"))),
    )
    .prepare(),
);

export function categoryWithSlug(platen: Platen, blogId: number, slug: string): Category | undefined {
  return withSlug(platen).get({ blogId, slug });
}

const withId = prepared((db) =>
  db
    .select()
    .from(categories)
    .where(eq(categories.id, sql.placeholder("id")))
    .prepare(),
);

export const categoryById = untilChanged((platen, id: number): Category | undefined =>
  withId(platen).get({ id }),
);

/** A blog's categories by name. */
export function categoriesOf(platen: Platen, blogId: number): Category[] {
  return platen.db
    .select()
    .from(categories)
    .where(eq(categories.blogId, blogId))
    .orderBy(asc(categories.name))
    .all();
}

/** The same without regard to case. @param most the first so many */
export function categoriesByName(platen: Platen, blogId: number, most = -1): Category[] {
  return platen.db
    .select()
    .from(categories)
    .where(eq(categories.blogId, blogId))
    .orderBy(asc(categories.nameKey))
    .limit(most)
    .all();
}

export function categoryOfBlog(platen: Platen, blogId: number, id: number): Category | undefined {
  const category = categoryById(platen, id);
  return category?.blogId === blogId ? category : undefined;
}

function categoryNamed(platen: Platen, blogId: number, name: string): Category {
  return findCategory(platen, blogId, name) ?? addTopic(platen, categories, blogId, name);
}
