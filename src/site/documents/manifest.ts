import { blogPath } from "../layout/layout";
import type { Visit } from "../layout/visit";

/** What a phone needs to put the blog among its apps (w3.org/TR/appmanifest). */
export function manifest({ platen, blog }: Visit): string {
  const base = blogPath(platen, blog);
  const icons = [192, 512].map((size) => ({
    src: `${base}icon-${size}.png`,
    type: "image/png",
    sizes: `${size}x${size}`,
  }));
  return JSON.stringify({
    name: blog.title,
    description: blog.description || undefined,
    lang: blog.language,
    start_url: base,
    scope: base,
    display: "minimal-ui",
    icons: [{ src: `${base}favicon.svg`, type: "image/svg+xml", sizes: "any" }, ...icons],
  });
}
