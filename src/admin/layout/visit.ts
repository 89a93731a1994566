import type { Account } from "../../accounts/accounts";
import { type Blog, blogsOf, blogWithSlug } from "../../blogs/blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { notFound, unauthorized } from "../../errors";
import { type FormLimits, readForm, type SentForm } from "../../http/forms/form-body";
import type { Call } from "../../http/requests/call";
import { csrfToken, requireSameOrigin } from "../../owner/csrf";
import { readCookie, signedIn } from "../../owner/session-cookie";
import { assertAccess, type Reach } from "../../posts/reading/finding-posts";

/** Somebody who is signed in, on a page of the admin. */
export interface Visit extends Reach {
  call: Call;
  account: Account;
  /** Only a session has it that was begun with a password: nothing binds it to fewer blogs than the account's. */
  blogIds: null;
  /** For the page's forms, see csrf. */
  token: string;
  /** The account's, in the order they were made. */
  blogs: Blog[];
  /** The one that the page is about, or else that was used last; undefined where the account has none. */
  blog: Blog | undefined;
}

/** On a page about one blog. */
export interface BlogVisit extends Visit {
  blog: Blog;
}

/** What every address of the admin begins with. @throws Refusal: unauthorized, which the door answers by leading to signing in */
export function visit(call: Call): Visit {
  const visitor = visitIfAny(call);
  if (!visitor) throw unauthorized("Sign in first.");
  return visitor;
}

/** Null where nobody is signed in. */
export function visitIfAny(call: Call): Visit | null {
  const account = signedIn(call);
  const session = readCookie(call, "session");
  if (!account || !session) return null;
  const blogs = blogsOf(call.platen, account);
  const last = readCookie(call, "blog");
  const blog = blogs.find(({ slug }) => slug === last) ?? blogs[0];
  return { call, account, blogIds: null, token: csrfToken(call.platen, session), blogs, blog };
}

/** What every address below /admin/blogs/{slug} begins with. @throws Refusal: unauthorized as above, forbidden, missing */
export function blogVisit(call: Call, slug: string): BlogVisit {
  const visitor = visit(call);
  const blog = blogWithSlug(call.platen, slug);
  if (!blog) throw notFound("blog");
  assertAccess(visitor, blog, "blog");
  return { ...visitor, blog };
}

/**
 * The form that a page of the admin sent; what every change begins with.
 * @param largest in bytes, where it may be more than a form usually is
 * @throws Refusal: forbidden (another site's form), too large, malformed
 */
export async function sentForm<Name extends string>(
  { call }: Visit,
  limits: FormLimits<Name>,
  largest?: number,
): Promise<SentForm<Name | "token">> {
  const all = { ...limits, token: MAX_LENGTHS.token } as FormLimits<Name | "token">;
  const form = await readForm<Name | "token">(call.request, all, largest);
  requireSameOrigin(call, form, "session");
  return form;
}
