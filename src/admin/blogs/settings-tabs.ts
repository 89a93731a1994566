import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import { type BlogVisit, blogPath } from "../layout/visit";

export const TRANSFER = "/transfer";

const TABS = [
  { path: "", label: "General" },
  { path: "/theme", label: "Design" },
  { path: "/look", label: "HTML and CSS" },
  { path: "/reading", label: "Reading" },
  { path: "/navigation", label: "Navigation" },
  { path: "/address", label: "Address" },
  { path: TRANSFER, label: "Import and export" },
];

export function settingsLinks(blog: Blog): { label: string; path: string }[] {
  return TABS.map(({ label, path }) => ({
    label,
    path: blogPath(blog, path === TRANSFER ? TRANSFER : `/settings${path}`),
  }));
}

export function settingsTop({ blog }: BlogVisit, path: string): Html {
  return html`<div class="page-head"><h1>Settings</h1></div>
<nav class="tabs" aria-label="Blog settings">
${settingsLinks(blog).map((link, index) => html`<a href="${link.path}"${TABS[index]?.path === path && html` aria-current="page"`}>${link.label}</a>`)}
</nav>`;
}
