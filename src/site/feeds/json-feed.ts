import { postUrl } from "../../blogs/permalinks";
import { mediaPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { type Post, previewImage } from "../../posts/post/post";
import { changedAt } from "../../posts/reading/public-posts";
import { topicNamesOf } from "../../posts/topics/topics";
import type { Feed, FeedFormat } from "./feed";
import { summaryForFeed } from "./feed-content";

/** JSON Feed 1.1 (jsonfeed.org/version/1.1). */
export const jsonFeed: FeedFormat = {
  name: "feed.json",
  type: "application/feed+json",
  label: "JSON Feed",
  write,
};

function write(platen: Platen, feed: Feed, contentHtml: (post: Post) => string | null): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: feed.title,
    home_page_url: feed.url,
    feed_url: feed.self,
    description: feed.blog.description || undefined,
    language: feed.blog.language,
    authors: [{ name: feed.author, url: feed.url }],
    items: feed.posts.map((post) => item(platen, feed, post, contentHtml(post))),
  });
}

function item(platen: Platen, feed: Feed, post: Post, contentHtml: string | null) {
  const preview = previewImage(post);
  const topics = topicNamesOf(post);
  const summary = summaryForFeed(platen, post);
  return {
    id: feed.idOf(post),
    url: postUrl(platen, post.blog, post),
    title: post.title || undefined,
    ...(contentHtml === null ? { content_text: summary } : { content_html: contentHtml }),
    summary: summary || undefined,
    image: preview && platen.config.url + mediaPath(preview),
    date_published: (post.publishedAt as Date).toISOString(),
    date_modified: changedAt(post).toISOString(),
    tags: topics.length > 0 ? topics : undefined,
  };
}
