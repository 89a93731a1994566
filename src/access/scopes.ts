import type { Caller, Scope } from "../accounts/api-keys";
import { blogSignedInAs } from "../accounts/app-tokens";
import { type Blog, blogById, blogsOf } from "../blogs/blogs";
import { forbidden, requireFound, unscoped } from "../errors";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import type { PostChanges } from "../posts/writing/post-input";

/** A key needs one of these scopes. Empty: any valid key. */
type OneOf = readonly Scope[];

const ANY_KEY: OneOf = [];

/** A route without a row cannot be called. */
export const SCOPES_FOR = {
  "GET /api/v1/info": ANY_KEY,
  "GET /api/v1/blogs/:id": ["read"],
  "GET /api/v1/blogs/:id/reach": ["read"],
  "PATCH /api/v1/blogs/:id/reach": ["update"],
  "GET /api/v1/blogs/:id/subscribers": ["subscribers"],
  "POST /api/v1/blogs/:id/subscribers": ["subscribers"],
  "PATCH /api/v1/blogs/:id/subscribers/:subscriber": ["subscribers"],
  "DELETE /api/v1/blogs/:id/subscribers/:subscriber": ["subscribers"],
  "GET /api/v1/blogs/:id/followers": ["read"],
  "DELETE /api/v1/blogs/:id/followers/:follower": ["delete"],
  "DELETE /api/v1/blogs/:id/people": ["delete"],
  "GET /api/v1/blogs/:id/komments": ["read"],
  "GET /api/v1/blogs/:id/deliveries": ["read"],
  "GET /api/v1/categories": ["read"],
  "GET /api/v1/attachments": ["read"],
  "POST /api/v1/attachments": ["media", "create"],
  "GET /api/v1/posts": ["read"],
  "GET /api/v1/posts/:id": ["read"],
  "POST /api/v1/posts": ["create", "draft"],
  "PUT /api/v1/posts/:id": ["update", "draft"],
  "PATCH /api/v1/posts/:id": ["update", "draft"],
  "PATCH /api/v1/posts/:id/publish": ["update"],
  "PATCH /api/v1/posts/:id/unpublish": ["update"],
  "DELETE /api/v1/posts/:id": ["delete"],

  // Apps with any scope need these queries to show a form.
  "GET /micropub?q=config": ANY_KEY,
  "GET /micropub?q=category": ANY_KEY,
  "GET /micropub?q=syndicate-to": ANY_KEY,
  "GET /micropub?q=channel": ANY_KEY,
  "GET /micropub?q=contact": ANY_KEY,
  "GET /micropub?q=post-types": ANY_KEY,
  "GET /micropub?q=source": ["read"],
  "POST /micropub action=create": ["create", "draft"],
  "POST /micropub action=update": ["update", "draft"],
  "POST /micropub action=delete": ["delete"],
  "POST /micropub action=undelete": ["update"],
  "GET /micropub/media?q=source": ["read"],
  "GET /micropub/media?q=last": ["read"],
  "POST /micropub/media": ["media", "create"],
  "POST /micropub/media action=delete": ["media", "delete"],

  "creating a post that is not a draft, or is shared": ["create"],
  "changing a post that is not a draft, will not be one, or is shared": ["update"],
  "sending or fetching a photo or video": ["media", "create"],
} as const satisfies Record<string, OneOf>;

export type ScopeRule = keyof typeof SCOPES_FOR;

export type ScopeRuleOf<Prefix extends string> = ScopeRule extends infer Row
  ? Row extends `${Prefix}${infer Name}`
    ? Name
    : never
  : never;

/** HEAD needs the same scopes as GET. @param route as declared, with `:id` */
export function scopeRuleOfRoute(method: string, route: string): ScopeRule {
  const rule = `${method === "HEAD" ? "GET" : method} ${route}`;
  if (!Object.hasOwn(SCOPES_FOR, rule)) throw new Error(`The scope table has no row "${rule}".`);
  return rule as ScopeRule;
}

export function requireScope(caller: Caller, rule: ScopeRule): void {
  if (!isPermitted(caller, rule))
    throw unscoped(`This key may not do that: it needs the scope ${SCOPES_FOR[rule].join(" or ")}.`);
}

function isPermitted(caller: Caller, rule: ScopeRule): boolean {
  const scopes = SCOPES_FOR[rule];
  return scopes.length === 0 || scopes.some((scope) => caller.key.scopes.includes(scope));
}

/**
 * Without a status, the post becomes a draft if the key has the scope `draft`, but not `create`.
 * @throws Refusal (unscoped) if such a key requests another status or shares the draft
 */
export function permittedDraft(caller: Caller, draft: PostChanges): PostChanges {
  if (isPermitted(caller, "creating a post that is not a draft, or is shared")) return draft;
  if ((draft.status ?? "draft") !== "draft" || draft.isShared)
    throw unscoped("This key can only create drafts, and cannot share them.");
  return { ...draft, status: "draft" };
}

/**
 * @returns the changes
 * @throws Refusal (unscoped) if a key without the scope `update` changes a post that is not a draft, or
 * publishes or shares a draft
 */
export function permittedChange(caller: Caller, post: Post, changes: PostChanges): PostChanges {
  if (isPermitted(caller, "changing a post that is not a draft, will not be one, or is shared"))
    return changes;
  if (post.status !== "draft" || (changes.status ?? "draft") !== "draft" || changes.isShared)
    throw unscoped("This key can only change drafts, and cannot publish or share them.");
  return changes;
}

/**
 * The first blog is the default. For an app's key, that is the blog whose URL the user signed in with, if the
 * key can access the blog.
 */
export function reachableBlogs(platen: Platen, caller: Caller): Blog[] {
  const all = blogsOf(platen, caller.account);
  const reached = caller.blogIds ? all.filter((blog) => caller.blogIds?.includes(blog.id)) : all;
  const me = caller.key.clientId === null ? undefined : blogSignedInAs(platen, caller.key.id);
  return reached.toSorted((a, b) => Number(b.id === me) - Number(a.id === me));
}

/**
 * @param field the request's field with the id, if the id is not part of the path
 * @throws Refusal: missing if there is no such blog; forbidden if the caller has no access
 */
export function targetBlog(platen: Platen, caller: Caller, blogId?: number, field?: string): Blog {
  if (blogId === undefined)
    return requireFound(reachableBlogs(platen, caller)[0], "blog: this account has none yet");
  const fields = field === undefined ? undefined : { [field]: ["is not the id of a blog"] };
  const blog = requireFound(blogById(platen, blogId), "blog", fields);
  if (blog.accountId !== caller.account.id) throw forbidden("This blog belongs to another account.");
  if (caller.blogIds && !caller.blogIds.includes(blog.id))
    throw forbidden("This key is limited to other blogs.");
  return blog;
}
