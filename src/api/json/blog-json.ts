import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { reachableBlogs } from "../../access/scopes";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { resolveNavigation } from "../../posts/linked/navigation-and-home";
import type { CountedCategory } from "../../posts/topics/category-list";
import { version } from "../../version";
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
  accent: t.String({ description: "#rrggbb; empty for the theme's default" }),
  design: t.Record(t.String(), t.Union([t.String(), t.Boolean()]), {
    description: "Design choices that differ from the defaults",
  }),
  header: t.String({ description: "HTML" }),
  footer: t.String({ description: "HTML" }),
  css: t.String(),
  profiles: t.Array(t.String(), { description: "URLs of the owner's other profiles" }),
  navigation: t.Array(
    t.Object({
      label: t.String(),
      url: t.String(),
      post_id: nullable(Type.Integer()),
      category_id: nullable(Type.Integer()),
      shown: t.Boolean({ description: "false if the linked post or category is not public" }),
    }),
    { description: "Links at the top of every page" },
  ),
  home_post_id: nullable(
    Type.Integer({
      description:
        "Page shown as the home page; if home_category_id is also null, the newest posts are shown",
    }),
  ),
  home_category_id: nullable(Type.Integer({ description: "Category shown as the home page" })),
  posts_a_page: Type.Integer({ description: "Posts per page in lists" }),
  feed_content: t.String({ description: "full: feeds contain whole posts; summary: only summaries" }),
  komments_open: t.Boolean(),
  komments_moderated: t.Boolean(),
  komment_events: t.Boolean({ description: "Whether webhooks get komment.created" }),
  created_at: instant(),
  updated_at: instant(),
});

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
    design: { ...blog.design },
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
    feed_content: blog.feedContent,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    komment_events: blog.kommentEvents,
    created_at: blog.createdAt.toISOString(),
    updated_at: blog.updatedAt.toISOString(),
  };
}

export const categoryShape = t.Object({
  id: Type.Integer(),
  name: t.String(),
  slug: t.String(),
  url: t.String({ description: "The public page; 404 if it has no public posts" }),
  counts: t.Object(
    {
      published: Type.Integer(),
      scheduled: Type.Integer(),
      draft: Type.Integer(),
      archived: Type.Integer(),
      all: Type.Integer(),
    },
    { description: "Number of posts that GET /posts lists with this category_id and status" },
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

export const infoShape = t.Object({
  api: t.Object({ name: t.String(), version: t.String(), software_version: t.String() }),
  account: t.Object({ id: Type.Integer(), name: t.String(), email: t.String() }),
  blogs: t.Array(
    t.Object({
      id: Type.Integer(),
      title: t.String(),
      slug: t.String(),
      url: t.String(),
      selected: t.Boolean({ description: "Used if a request names no blog" }),
    }),
  ),
  key: t.Object({ name: t.String(), scopes: t.Array(t.String()) }),
});

export function presentInfo(platen: Platen, caller: Caller): Static<typeof infoShape> {
  const presentBlog = (blog: Blog, position: number) => ({
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    url: blogUrl(platen, blog),
    selected: position === 0,
  });
  return {
    api: { name: "Platen", version: "v1", software_version: version },
    account: { id: caller.account.id, name: caller.account.name, email: caller.account.email },
    blogs: reachableBlogs(platen, caller).map(presentBlog),
    key: { name: caller.key.name, scopes: caller.key.scopes },
  };
}
