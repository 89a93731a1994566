import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import { reachableBlogs } from "../../access/scopes";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { version } from "../../version";

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
  const present = (blog: Blog, position: number) => ({
    id: blog.id,
    title: blog.title,
    slug: blog.slug,
    url: blogUrl(platen, blog),
    selected: position === 0,
  });
  return {
    api: { name: "Platen", version: "v1", software_version: version },
    account: { id: caller.account.id, name: caller.account.name, email: caller.account.email },
    blogs: reachableBlogs(platen, caller).map(present),
    key: { name: caller.key.name, scopes: caller.key.scopes },
  };
}
