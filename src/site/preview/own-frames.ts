import { type Blog, blogWithSlug } from "../../blogs/blogs";
import { notFound, unauthorized } from "../../errors";
import type { Call } from "../../http/requests/call";
import type { HttpResponse } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import { signedIn } from "../../owner/session-cookie";
import type { Platen } from "../../platen";
import { assertAccess, type Reach } from "../../posts/reading/finding-posts";
import { refusalAnswer } from "../layout/error-pages";

/** What answers below /admin with pages of the blog adds its routes to; its refusals too stand in a frame of ours. */
export const framesDoor = (platen: Platen, name: string) =>
  router(platen, name, (refusal) => framedByOurselves(refusalAnswer(refusal)));

/** @throws Refusal: unauthorized, missing, forbidden */
export function ownBlog(call: Call, slug: string): { reach: Reach; blog: Blog } {
  const account = signedIn(call);
  if (!account) throw unauthorized("Sign in first.");
  const reach = { account, blogIds: null };
  const blog = blogWithSlug(call.platen, slug);
  if (!blog) throw notFound("blog");
  assertAccess(reach, blog, "blog");
  return { reach, blog };
}

/** The Markdown editor has it beside the text, the preview in a frame as wide as a phone, the choice of a theme in two. */
export function framedByOurselves<Shown extends HttpResponse>(answer: Shown): Shown {
  const policy = answer.headers.get("content-security-policy") ?? "";
  answer.headers.set(
    "content-security-policy",
    policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'"),
  );
  return answer;
}
