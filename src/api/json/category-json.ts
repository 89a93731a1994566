import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import type { CountedCategory } from "../../posts/reading/public-topics";

export const categoryShape = t.Object({
  id: Type.Integer(),
  name: t.String(),
  slug: t.String(),
  url: t.String({ description: "The public page; 404 where readers find no post in it" }),
  counts: t.Object(
    {
      published: Type.Integer(),
      scheduled: Type.Integer(),
      draft: Type.Integer(),
      archived: Type.Integer(),
      all: Type.Integer(),
    },
    { description: "What GET /posts lists with this category_id and status" },
  ),
});

export function presentCategory(
  platen: Platen,
  blog: Blog,
  category: CountedCategory,
): Static<typeof categoryShape> {
  const { id, name, slug, counts } = category;
  return { id, name, slug, url: `${blogUrl(platen, blog)}category/${slug}`, counts };
}
