import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { resolveNavigation } from "../../posts/linked/navigation";
import { instant, nullable } from "./shapes";

export const blogShape = t.Object({
  id: Type.Integer(),
  title: t.String(),
  slug: t.String(),
  domain: nullable(t.String()),
  url: t.String(),
  description: t.String(),
  language: t.String({ description: "A tag like en or pt-BR" }),
  time_zone: t.String({ description: "A name like Europe/Berlin" }),
  theme: t.String(),
  accent: t.String({ description: "#rrggbb; empty: the theme's own" }),
  header: t.String({ description: "HTML" }),
  footer: t.String({ description: "HTML" }),
  css: t.String(),
  profiles: t.Array(t.String(), { description: "The owner's other addresses" }),
  navigation: t.Array(
    t.Object({
      label: t.String(),
      url: t.String(),
      post_id: nullable(Type.Integer()),
      category_id: nullable(Type.Integer()),
      shown: t.Boolean({ description: "False where readers could not see what it leads to" }),
    }),
    { description: "Links at the head of every page" },
  ),
  home_post_id: nullable(
    Type.Integer({ description: "The page at the blog's address; null, as the category: the newest posts" }),
  ),
  home_category_id: nullable(
    Type.Integer({ description: "The category whose posts are at the blog's address" }),
  ),
  posts_a_page: Type.Integer({ description: "In each list of posts" }),
  komments_open: t.Boolean(),
  komments_moderated: t.Boolean(),
  created_at: instant(),
  updated_at: instant(),
});

/** What readers may know of it, and its settings; never its secrets. */
export function presentBlog(platen: Platen, blog: Blog): Static<typeof blogShape> {
  return {
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    domain: blog.domain,
    url: blogUrl(platen, blog),
    description: blog.description,
    language: blog.language,
    time_zone: blog.timeZone,
    theme: blog.theme,
    accent: blog.accent,
    header: blog.headerHtml,
    footer: blog.footerHtml,
    css: blog.customCss,
    profiles: blog.profiles,
    navigation: resolveNavigation(platen, blog).map(({ link, address, path, isShown }) => ({
      label: link.label,
      url: path === null ? address : blogUrl(platen, blog) + path,
      post_id: "postId" in link ? link.postId : null,
      category_id: "categoryId" in link ? link.categoryId : null,
      shown: isShown,
    })),
    home_post_id: blog.homePostId,
    home_category_id: blog.homeCategoryId,
    posts_a_page: blog.postsAPage,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    created_at: blog.createdAt.toISOString(),
    updated_at: blog.updatedAt.toISOString(),
  };
}
