import { type Blog, listBlogs } from "../../blogs/blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import type { BlogRequest, Document } from "../built-in-page";
import { blogPath } from "../layout/layout";

/** RFC 9309. Crawlers read robots.txt only at the root, so the home blog also covers the blogs below it. */
export function robots({ platen, blog }: BlogRequest): Document {
  const blogs = [blog, ...blogsBelow(platen, blog)];
  const lines = [
    "User-agent: *",
    ...blogs.map((one) => `Disallow: ${blogPath(platen, one)}search`),
    "",
    ...blogs.map((one) => `Sitemap: ${blogUrl(platen, one)}sitemap.xml`),
    "",
  ];
  return { contentType: "text/plain; charset=utf-8", body: lines.join("\n") };
}

function blogsBelow(platen: Platen, blog: Blog): Blog[] {
  if (blog.domain || homeBlog(platen)?.id !== blog.id) return [];
  return listBlogs(platen).filter((other) => other.id !== blog.id && !other.domain);
}
