import type { Blog } from "../../blogs/blogs";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { type Category, isLive, type PostRow } from "../post/post";
import { categoryOfBlog } from "../topics/topics";
import { linkedPosts, linkTargetAt } from "./link-targets";

export type HomeChoice = Pick<Blog, "homePostId" | "homeCategoryId">;

/**
 * Parses the home page setting.
 * @param address "/about", "/category/notes" or a full URL; empty for the newest posts
 * @throws Refusal (invalid) for `home`
 */
export function parseHome(platen: Platen, blog: Blog, address: string): HomeChoice {
  if (address.trim() === "") return { homePostId: null, homeCategoryId: null };
  const place = linkTargetAt(platen, blog, address);
  if (place && "categoryId" in place) return { homePostId: null, homeCategoryId: place.categoryId };
  if (place && linkedPosts(platen, blog, [place.postId]).get(place.postId)?.type === "page")
    return { homePostId: place.postId, homeCategoryId: null };
  throw invalid({ home: ["must be the address of a page or category of this blog, like /about"] });
}

/** Returns the page chosen as home page, published or not; undefined if it was deleted. */
export function chosenPage(platen: Platen, blog: Blog): PostRow | undefined {
  const id = blog.homePostId;
  const page = id === null ? undefined : linkedPosts(platen, blog, [id]).get(id);
  return page?.deletedAt === null ? page : undefined;
}

export function homePost(platen: Platen, blog: Blog): PostRow | undefined {
  const page = chosenPage(platen, blog);
  return page && isLive(page, platen.now()) ? page : undefined;
}

export function homeCategory(platen: Platen, blog: Blog): Category | undefined {
  const id = blog.homeCategoryId;
  return id === null ? undefined : categoryOfBlog(platen, blog.id, id);
}
