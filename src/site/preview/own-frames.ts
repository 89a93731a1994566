import { type Blog, blogWithSlug } from "../../blogs/blogs";
import { notFound, unauthorized } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { HttpResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { type Access, assertAccess } from "../../posts/reading/finding-posts";
import { refusalResponse } from "../layout/error-pages";

export const previewRouter = (platen: Platen, name: string) =>
  router(platen, name, (refusal) => allowOwnFrames(refusalResponse(refusal)));

export function ownBlog(call: Call, slug: string): { access: Access; blog: Blog } {
  const account = signedIn(call);
  if (!account) throw unauthorized("Sign in first.");
  const access = { account, blogIds: null };
  const blog = blogWithSlug(call.platen, slug);
  if (!blog) throw notFound("blog");
  assertAccess(access, blog, "blog");
  return { access, blog };
}

export function allowOwnFrames<Shown extends HttpResponse>(response: Shown): Shown {
  const policy = response.headers.get("content-security-policy") ?? "";
  response.headers.set(
    "content-security-policy",
    policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
  );
  return response;
}
