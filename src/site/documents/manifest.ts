import type { BlogRequest, Document } from "../built-in-page";
import { blogPath } from "../layout/layout";

export function manifest({ platen, blog }: BlogRequest): Document {
  const base = blogPath(platen, blog);
  const icons = [192, 512].map((size) => ({
    src: `${base}icon-${size}.png`,
    type: "image/png",
    sizes: `${size}x${size}`,
  }));
  const body = JSON.stringify({
    name: blog.title,
    description: blog.description || undefined,
    lang: blog.language,
    start_url: base,
    scope: base,
    display: "minimal-ui",
    icons: [{ src: `${base}favicon.svg`, type: "image/svg+xml", sizes: "any" }, ...icons],
  });
  return { contentType: "application/manifest+json; charset=utf-8", body };
}
