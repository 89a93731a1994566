import { blogSignedInAs } from "../accounts/authorization-codes";
import type { Caller } from "../accounts/keys";
import { type Blog, blogById, blogsOf } from "../blogs/blogs";
import { forbidden, notFound } from "../errors";
import type { Platen } from "../platen";

/**
 * The blogs that the key can access. The first is the default for requests that name none.
 * For an app, the first is the blog that its user signed in as.
 */
export function reachableBlogs(platen: Platen, caller: Caller): Blog[] {
  const all = blogsOf(platen, caller.account);
  const reached = caller.blogIds ? all.filter((blog) => caller.blogIds?.includes(blog.id)) : all;
  const me = caller.key.clientId === null ? undefined : blogSignedInAs(platen, caller.key.id);
  return reached.toSorted((a, b) => Number(b.id === me) - Number(a.id === me));
}

/**
 * The requested blog, or the default one.
 * @throws Refusal: missing if there is no such blog; forbidden if the caller has no access
 */
export function targetBlog(platen: Platen, caller: Caller, blogId?: number): Blog {
  if (blogId === undefined) {
    const [selected] = reachableBlogs(platen, caller);
    if (!selected) throw notFound("blog: this account has none yet");
    return selected;
  }
  const blog = blogById(platen, blogId);
  if (!blog) throw notFound("blog");
  if (blog.accountId !== caller.account.id) throw forbidden("This blog belongs to another account.");
  if (caller.blogIds && !caller.blogIds.includes(blog.id))
    throw forbidden("This key is bound to other blogs.");
  return blog;
}
