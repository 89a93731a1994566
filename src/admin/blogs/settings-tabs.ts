import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import { type BlogVisit, blogPath } from "../layout/visit";

const TABS = [
  ["General", "/settings"],
  ["Design", "/settings/theme"],
  ["HTML and CSS", "/settings/look"],
  ["Reading", "/settings/reading"],
  ["Navigation", "/settings/navigation"],
  ["Address", "/settings/address"],
  ["Import and export", "/transfer"],
] as const;

export function settingsLinks(blog: Blog): { label: string; path: string }[] {
  return TABS.map(([label, path]) => ({ label, path: blogPath(blog, path) }));
}

export function settingsTop({ blog }: BlogVisit, current: (typeof TABS)[number][1]): Html {
  return html`<div class="page-head"><h1>Settings</h1></div>
<nav class="tabs" aria-label="Blog settings">
${TABS.map(([label, path]) => html`<a href="${blogPath(blog, path)}"${path === current && html` aria-current="page"`}>${label}</a>`)}
</nav>`;
}
