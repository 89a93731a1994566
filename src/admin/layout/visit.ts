import type { Account } from "../../accounts/accounts";
import { blogWithSlugEver } from "../../blogs/blog-addresses";
import { type Blog, blogsOf } from "../../blogs/blogs";
import { MAX_BYTES } from "../../config/request-limits";
import { type FieldErrors, fieldErrorsOf, malformed, requireFound, unauthorized } from "../../errors";
import type { FormState } from "../../http/form-field";
import type { Call } from "../../http/requests/call";
import { type Multipart, readMultipart } from "../../http/requests/multipart";
import { parseForm, readBody } from "../../http/requests/request-body";
import { csrfToken, requireSameOrigin } from "../../owner/csrf";
import { readCookie, signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { type Access, assertAccess } from "../../posts/reading/finding-posts";
import { type Times, timesFor } from "./times-and-languages";

export interface Visit extends Access {
  call: Call;
  platen: Platen;
  account: Account;
  /** null: a session has access to all blogs of its account. */
  blogIds: null;
  /** The CSRF token. */
  token: string;
  blogs: Blog[];
  /** The page's blog, else the blog last used or the first one; undefined if the account has no blog. */
  blog: Blog | undefined;
  /** In the time zone of `blog`; in UTC without a blog. */
  times: Times;
  /** Set if the page shows a form again because of errors. */
  rejected?: RejectedForm;
}

/** The stored values, or those of the rejected form. */
export function formState({ rejected }: Visit, stored: Record<string, string>): FormState {
  return { values: { ...stored, ...rejected?.values }, errors: rejected?.errors };
}

interface RejectedForm extends FormState {
  sent: AdminForm;
  error: unknown;
  errors: FieldErrors;
}

export interface BlogVisit extends Visit {
  blog: Blog;
}

export function blogPath({ slug }: Pick<Blog, "slug">, path = ""): string {
  return `/admin/blogs/${slug}${path}`;
}

/** @throws Refusal (unauthorized), for which the admin redirects to the sign-in page */
export function requireVisit(call: Call): Visit {
  const visit = findVisit(call);
  if (!visit) throw unauthorized("Sign in first.");
  return visit;
}

export function findVisit(call: Call): Visit | null {
  const account = signedIn(call);
  const session = readCookie(call, "session");
  if (!account || !session) return null;
  const { platen } = call;
  const blogs = blogsOf(platen, account);
  const last = readCookie(call, "blog");
  const blog = blogs.find(({ slug }) => slug === last) ?? blogs[0];
  const times = timesFor(blog ?? { timeZone: "UTC" }, platen.now());
  const token = csrfToken(platen, session);
  return { call, platen, account, blogIds: null, token, blogs, blog, times };
}

export function requireBlogVisit(call: Call, slug: string): BlogVisit {
  const visit = requireVisit(call);
  // A page that was opened before the slug changed can still save.
  const blog = requireFound(blogWithSlugEver(call.platen, slug), "blog");
  assertAccess(visit, blog, "blog");
  return { ...visit, blog, times: timesFor(blog, call.platen.now()) };
}

/**
 * Checks the CSRF token before the first file, so the token must come before the files in the form.
 * @param take stores a file
 * @param discard called for every stored file if the form fails later
 */
export async function readAdminFiles<File>(
  { call }: Visit,
  take: (stream: AsyncIterable<Uint8Array>, filename: string, fields: FormFields) => Promise<File>,
  discard: (file: File) => Promise<void>,
): Promise<{ fields: FormFields; files: File[] }> {
  const { fields, files } = await readMultipart<File>(
    call.request,
    (_field, filename, stream, _type, before) => {
      assertNoForgery(call, before);
      return take(stream, filename, before);
    },
    discard,
  );
  assertNoForgery(call, fields);
  return { fields, files: files.map(({ value }) => value) };
}

export type FormFields = Multipart<unknown>["fields"];

export function assertNoForgery(call: Call, fields: FormFields): void {
  const token = fields.find(([name]) => name === "token")?.[1] ?? null;
  requireSameOrigin(call, { get: () => token }, "session");
}

/** @returns 0, which no row has, if the text is not an id */
export function idIn(text: string | null | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}

export function idsIn(texts: string[]): number[] {
  return [...new Set(texts.map(idIn))].filter((id) => id > 0);
}

export function actionNamed<Action>(actions: Record<string, Action>, name: string | null): Action {
  const action = name !== null && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw malformed("Choose an action.");
  return action;
}

export class AdminForm extends URLSearchParams {
  text(name: string): string {
    return this.get(name) ?? "";
  }

  /** The values to show again, without passwords. @throws the error itself, unless it has field errors */
  rejected(error: unknown): RejectedForm {
    const shown = [...this].filter(([name]) => !/password|current|secret/.test(name));
    return { sent: this, values: Object.fromEntries(shown), error, errors: fieldErrorsOf(error) };
  }
}

/** Checks the form's CSRF token. */
export async function readAdminForm({ call }: Visit, maxBytes: number = MAX_BYTES.form): Promise<AdminForm> {
  const body = await readBody(call.request, maxBytes);
  const form = new AdminForm(parseForm(body.toString("utf8")));
  requireSameOrigin(call, form, "session");
  return form;
}
