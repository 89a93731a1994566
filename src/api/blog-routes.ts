import { Type } from "@sinclair/typebox";
import { Elysia, type Static, t } from "elysia";
import { authorized } from "../access/authentication";
import { reachableBlogs, targetBlog } from "../access/scopes";
import type { Caller } from "../accounts/api-keys";
import { type Blog, blogUrl } from "../blogs/blogs";
import { jsonResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { resolveNavigation } from "../posts/reading/navigation-and-home";
import { categoriesWithCounts } from "../posts/storage/categories-and-tags";
import { version } from "../version";
import { sendCachedRead } from "./api-responses";
import { idPath, instant, integer, nullable, presenterOf } from "./json-schemas";
import { answer, detail } from "./openapi-and-docs-routes";
import { blogIdQuery } from "./pagination-and-filters";

export const blogRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/info",
      ({ call, caller }) =>
        sendCachedRead(call, caller, () => jsonResponse(200, presentInfo(platen, caller))),
      { detail: infoDetail },
    )
    .get(
      "/blogs/:id",
      ({ call, caller, params }) =>
        sendCachedRead(call, caller, () => {
          const blog = targetBlog(platen, caller, params.id);
          return jsonResponse(200, { blog: presentBlog(platen, blog) });
        }),
      { params: idPath, detail: blogDetail },
    )
    .get(
      "/categories",
      ({ call, caller, query }) =>
        sendCachedRead(call, caller, async () => {
          const blog = targetBlog(platen, caller, query.blog_id, "blog_id");
          const url = blogUrl(platen, blog);
          const categories = await categoriesWithCounts(platen, blog);
          return jsonResponse(200, {
            categories: categories.map((one) =>
              presentCategory({ ...one, url: `${url}category/${one.slug}` }),
            ),
          });
        }),
      { query: blogIdQuery, detail: categoriesDetail },
    );

const blogShape = t.Object({
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
    integer("Page shown as the home page; if home_category_id is also null, the newest posts are shown"),
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

const presentFields = presenterOf(blogShape);

function presentBlog(platen: Platen, blog: Blog): Static<typeof blogShape> {
  const url = blogUrl(platen, blog);
  const navigation = resolveNavigation(platen, blog).map(({ link, address, path, isShown }) => ({
    label: link.label,
    url: path === null ? address : url + path,
    post_id: "postId" in link ? link.postId : null,
    category_id: "categoryId" in link ? link.categoryId : null,
    shown: isShown,
  }));
  const { headerHtml: header, footerHtml: footer, customCss: css } = blog;
  return presentFields({ ...blog, url, design: { ...blog.design }, header, footer, css, navigation });
}

const categoryShape = t.Object({
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

const presentCategory = presenterOf(categoryShape);

const listedBlogShape = t.Object({
  id: Type.Integer(),
  title: t.String(),
  slug: t.String(),
  url: t.String(),
  selected: t.Boolean({ description: "Used if a request names no blog" }),
});

const infoShape = t.Object({
  api: t.Object({ name: t.String(), version: t.String(), software_version: t.String() }),
  account: t.Object({
    id: Type.Integer(),
    name: t.String(),
    email: nullable(t.String({ description: "null for apps without the scope email" })),
  }),
  blogs: t.Array(listedBlogShape),
  key: t.Object({ name: t.String(), scopes: t.Array(t.String()) }),
});

const presentListedBlog = presenterOf(listedBlogShape);

function presentInfo(platen: Platen, caller: Caller): Static<typeof infoShape> {
  const { account, key } = caller;
  const mayKnowEmail = key.clientId === null || key.scopes.includes("email");
  return {
    api: { name: "Platen", version: "v1", software_version: version },
    account: { id: account.id, name: account.name, email: mayKnowEmail ? account.email : null },
    blogs: reachableBlogs(platen, caller).map((blog, position) =>
      presentListedBlog({ ...blog, url: blogUrl(platen, blog), selected: position === 0 }),
    ),
    key: { name: key.name, scopes: key.scopes },
  };
}

const infoDetail = detail("Info", "The API, the account and its blogs", {
  200: answer("The API, the account and the blogs of this key", infoShape),
});
const blogDetail = detail("Blogs", "A blog and its settings", {
  200: answer("The blog", t.Object({ blog: blogShape })),
});
const categoriesDetail = detail("Blogs", "List a blog's categories by name", {
  200: answer("All categories", t.Object({ categories: t.Array(categoryShape) })),
});
