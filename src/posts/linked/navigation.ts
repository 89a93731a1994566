import type { Blog } from "../../blogs/blogs";
import { isBelowBlog, type NavigationLink } from "../../blogs/navigation-check";
import type { Platen } from "../../platen";
import { isLive } from "../post/post";
import { publicTopic } from "../reading/public-topics";
import { categoryOfBlog } from "../topics/topics";
import { linkedPosts, linkTargetAt } from "./link-targets";

/** A link as the user types it: "/about", "/category/notes" or a full URL. */
export interface TypedLink {
  label: string;
  to: string;
}

/** Converts addresses of pages and categories to ids. `configureBlog` validates the links. */
export function parseNavigation(platen: Platen, blog: Blog, typed: TypedLink[]): NavigationLink[] {
  const present = new Map(resolveNavigation(platen, blog).map(({ link, address }) => [address, link]));
  return typed.map(({ label, to }) => {
    const [name, address] = [label.trim(), to.trim()];
    // Keeps links to posts in the trash: they have no address but may be restored.
    const { label: _, ...place } = present.get(address) ?? { label, address };
    return { label: name, ...(linkTargetAt(platen, blog, address) ?? place) };
  });
}

export interface ResolvedLink {
  link: NavigationLink;
  /** The address as the user would type it. */
  address: string;
  /** Path below the blog's URL; null for a full URL. */
  path: string | null;
  isShown: boolean;
}

/** Resolves the links of the navigation. Skips links to purged posts and deleted categories. */
export function resolveNavigation(platen: Platen, blog: Blog): ResolvedLink[] {
  const { navigation } = blog;
  const ids = navigation.flatMap((link) => ("postId" in link ? [link.postId] : []));
  const posts = linkedPosts(platen, blog, ids);
  return navigation.flatMap((link): ResolvedLink[] => {
    if ("address" in link) {
      const path = isBelowBlog(link.address) ? link.address.slice(1) : null;
      return [{ link, address: link.address, path, isShown: true }];
    }
    if ("categoryId" in link) {
      const slug = categoryOfBlog(platen, blog.id, link.categoryId)?.slug;
      if (slug === undefined) return [];
      const path = `category/${slug}`;
      return [
        { link, address: `/${path}`, path, isShown: publicTopic(platen, blog, "category", slug) !== null },
      ];
    }
    const post = posts.get(link.postId);
    if (!post) return [];
    const path = post.id === blog.homePostId ? "" : post.slug;
    return [{ link, address: `/${post.slug}`, path, isShown: isLive(post, platen.now()) }];
  });
}
