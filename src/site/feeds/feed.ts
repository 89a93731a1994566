import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { permanentIds } from "../../posts/post/permanent-ids";
import type { Post } from "../../posts/post/post";
import { changedAt, feedPosts } from "../../posts/reading/public-posts";
import { publicTopic } from "../../posts/reading/public-topics";

/** How many of the newest posts a feed holds. */
const POSTS_A_FEED = 30;

/** A format that feeds are written in. */
export interface FeedFormat {
  /** The last segment of its address: "feed.xml". */
  name: `feed.${string}`;
  /** The media type, without the charset. */
  type: string;
  /** What feed readers show. */
  label: string;
  /** @param contentHtml HTML of a post for feed readers */
  write(platen: Platen, feed: Feed, contentHtml: (post: Post) => string): string;
}

/** What is in a feed, in whatever format it is written. */
export interface Feed {
  blog: Blog;
  /** Never changes, wherever the blog moves. */
  id: string;
  title: string;
  description: string;
  /** Absolute address of the page that shows the same posts. */
  url: string;
  /** Absolute address of the feed. */
  self: string;
  author: string;
  changedAt: Date;
  posts: Post[];
  /** A post's id in feeds, which never changes. */
  idOf(post: Post): string;
}

/**
 * @param name of the format: "feed.xml"
 * @param slug of a category, for the feed of that one
 * @returns null for a category without a post to show
 */
export function feedOf(platen: Platen, blog: Blog, name: string, slug?: string): Feed | null {
  const category = slug === undefined ? undefined : publicTopic(platen, blog, "category", slug);
  if (slug !== undefined && !category) return null;
  const idOf = permanentIds(platen);
  const url = blogUrl(platen, blog);
  const posts = feedPosts(platen, blog, { categoryId: category?.id, limit: POSTS_A_FEED });
  return {
    blog,
    id: category ? idOf("category", category.id) : idOf("blog", blog.id),
    title: category ? `${blog.title}: ${category.name}` : blog.title,
    description: blog.description || blog.title,
    url: category ? `${url}category/${category.slug}` : url,
    self: category ? `${url}category/${category.slug}/${name}` : url + name,
    author: accountById(platen, blog.accountId)?.name ?? blog.title,
    changedAt: latest([blog.updatedAt, ...posts.map(changedAt)]),
    posts,
    idOf: (post) => idOf("post", post.id),
  };
}

function latest(moments: Date[]): Date {
  return new Date(Math.max(...moments.map(Number)));
}
