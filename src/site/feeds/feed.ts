import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogUrl, postUrl } from "../../blogs/permalinks";
import { hubOf } from "../../mentions/mention-settings";
import type { Platen } from "../../platen";
import { MAX_EXCERPT_LENGTH } from "../../posts/content/plain-text-and-excerpts";
import { replyContext } from "../../posts/content/reply-context";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import { permanentIds } from "../../posts/post/permanent-ids";
import type { Post } from "../../posts/post/post";
import { changedAt, feedPosts, publicLanguages, publicTopic } from "../../posts/reading/public-posts";
import { contentsOf } from "../../posts/storage/stored-posts";
import { withAbsoluteAddresses } from "../../text/absolute-addresses";
import { languageName } from "../text/language";
import { summaryOf } from "../text/title-and-summary";

const POSTS_PER_FEED = 30;

export interface FeedFormat {
  name: `feed.${string}`;
  type: string;
  label: string;
  write(platen: Platen, feed: Feed): string;
}

export interface Feed {
  blog: Blog;
  language: string;
  id: string;
  title: string;
  description: string;
  url: string;
  self: string;
  hub: string | null;
  author: string;
  changedAt: Date;
  posts: Post[];
  idOf(post: Post): string;
  /** null if the feed contains only summaries. */
  contentOf(post: Post): string | null;
}

export function feedOf(
  platen: Platen,
  blog: Blog,
  name: string,
  { slug, language }: { slug?: string; language?: string },
): Feed | null {
  const category = slug === undefined ? undefined : publicTopic(platen, blog, "category", slug);
  if (slug !== undefined && !category) return null;
  if (language !== undefined && !publicLanguages(platen, blog).includes(language)) return null;
  const idOf = permanentIds(platen);
  const url = blogUrl(platen, blog);
  const posts = feedPosts(platen, blog, { categoryId: category?.id, language, limit: POSTS_PER_FEED });
  const contents = contentsOf(platen, blog.feedContent === "full" ? posts.map(({ id }) => id) : []);
  const query = language === undefined ? "" : `?lang=${language}`;
  const partName = category?.name ?? (language && languageName(language));
  const id = category ? idOf("category", category.id) : idOf("blog", blog.id);
  return {
    blog,
    language: language ?? blog.language,
    id: language === undefined ? id : `${id}:${language.toLowerCase()}`,
    title: partName ? `${blog.title}: ${partName}` : blog.title,
    description: blog.description || blog.title,
    url: (category ? `${url}category/${category.slug}` : url) + query,
    self: (category ? `${url}category/${category.slug}/${name}` : url + name) + query,
    // Hubs are not pinged for the feeds of a language.
    hub: language === undefined ? hubOf(blog) : null,
    author: accountById(platen, blog.accountId)?.name ?? blog.title,
    changedAt: latest([blog.updatedAt, ...posts.map(changedAt)]),
    posts,
    idOf: (post) => idOf("post", post.id),
    contentOf(post) {
      const content = contents.get(post.id);
      return content ? contentForFeed(platen, post, content.html) : null;
    },
  };
}

function latest(moments: Date[]): Date {
  return new Date(Math.max(...moments.map(Number)));
}

function contentForFeed(platen: Platen, post: Post, html: string): string {
  const whole = `${replyContext(post.properties) ?? ""}${html}`;
  return withAbsoluteAddresses(insertBaseUrl(whole, platen.config.url), postUrl(platen, post.blog, post));
}

export function summaryForFeed(platen: Platen, post: Post): string {
  return summaryOf(platen, post, MAX_EXCERPT_LENGTH);
}
