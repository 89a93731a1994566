import { postUrl } from "../../blogs/blogs";
import { MINUTE } from "../../config/units";
import { fediverseSettings } from "../../fediverse/blog-actors";
import { countFollowers } from "../../fediverse/followers-and-dead-inboxes";
import { isFederated } from "../../fediverse/post-and-reply-activities";
import { issueOfPost } from "../../newsletter/issue-scheduling-and-log";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import { countSubscribers } from "../../newsletter/subscribers";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { isCopied } from "../../syndication/copy-sending";
import type { ServiceName } from "../../syndication/stored-copies";
import { copyAccount, SERVICE_LABELS, SERVICE_NAMES } from "../../syndication/stored-copies";
import { counted } from "../../text/numbers";
import type { Toast } from "../layout/toasts";
import { type BlogVisit, blogPath } from "../layout/visit";
import { picturesWithoutAlt, postName, stateOf } from "../posts/post-states-and-rows";
import { defaultState, isChannelSelected } from "./post-switches";

export function publishedSheet({ platen, blog }: BlogVisit, post: Post): Toast["published"] {
  const isListed = post.type === "post" && !post.hidden;
  return {
    title: postName(post),
    url: postUrl(platen, blog, post),
    went: [
      { place: isListed && !post.hideInRss ? "Site and feeds" : "Site", when: "now" },
      ...newsletterNews(platen, post),
      ...fediverseNews(platen, post),
      ...copyNews(platen, post),
    ],
    missingAlt: { count: picturesWithoutAlt(post), path: blogPath(blog, "/media/alt-text") },
  };
}

function newsletterNews(platen: Platen, post: Post): { place: string; when: string; path?: string }[] {
  const issue = issueOfPost(platen, post.id);
  const state = defaultState(platen, post.blog, post, post.publishedAt, "newsletter");
  const isSelected = state === null ? isChannelSelected(post.blog, post, "newsletter") : state === "sent";
  if (!isSelected || post.type !== "post" || issue?.state === "sent") return [];
  const readers = counted(countSubscribers(platen, post.blog, "confirmed"), "subscriber");
  const delay =
    newsletterOf(post.blog)?.sends === "weekly"
      ? "on Monday"
      : `in ${counted(Math.ceil(platen.config.newsletterDelay / MINUTE), "minute")}`;
  const path = blogPath(post.blog, `/reach/posts/${post.id}`);
  return [{ place: "Newsletter", when: `${delay}, ${readers}`, path }];
}

function fediverseNews(platen: Platen, post: Post): { place: string; when: string; path: string }[] {
  if (!fediverseSettings(post.blog) || !isFederated(post, platen.now())) return [];
  const when = `now, ${counted(countFollowers(platen, post.blog), "follower")}`;
  return [{ place: "Fediverse", when, path: blogPath(post.blog, "/reach/fediverse") }];
}

function copyNews(platen: Platen, post: Post): { place: string; when: string }[] {
  const isNews = (name: ServiceName) =>
    copyAccount(platen, post.blog, name) && isCopied(platen, post.blog, post, name);
  return SERVICE_NAMES.filter(isNews).map((name) => ({ place: SERVICE_LABELS[name], when: "now" }));
}

export function describeSave({ platen, times }: BlogVisit, post: Post, action: string): string {
  const state = stateOf(post, platen.now());
  if (state === "scheduled" && post.publishedAt) return `Goes live on ${times.full(post.publishedAt)}.`;
  if (state === "live") return action === "save" ? "Changes published." : "Published.";
  if (state === "archived") return "Archived: no longer on the site.";
  if (action === "unpublish") return "Unpublished: a draft again.";
  return state === "draft" ? "Draft saved." : "Saved.";
}
