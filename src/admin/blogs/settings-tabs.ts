import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import type { ShownSettings } from "./forms/settings-changes";
import { generalSection, lookSection, readingSection } from "./forms/settings-form";

export interface SettingsSection {
  /** Path relative to /admin/blogs/{slug}/settings. */
  path: string;
  label: string;
  show(visit: BlogVisit, shown: ShownSettings): Html;
}

export const SECTIONS = {
  general: { path: "", label: "General", show: generalSection },
  look: { path: "/look", label: "HTML and CSS", show: lookSection },
  reading: { path: "/reading", label: "Reading", show: readingSection },
} satisfies Record<string, SettingsSection>;

export const TRANSFER = "/transfer";

const TABS = [
  SECTIONS.general,
  { path: "/theme", label: "Design" },
  SECTIONS.look,
  SECTIONS.reading,
  { path: "/navigation", label: "Navigation" },
  { path: "/address", label: "Address" },
  { path: TRANSFER, label: "Import and export" },
] satisfies Pick<SettingsSection, "path" | "label">[];

export function settingsLinks(blog: Blog): { label: string; path: string }[] {
  return TABS.map(({ label, path }) => ({
    label,
    path: blogPath(blog, path === TRANSFER ? TRANSFER : `/settings${path}`),
  }));
}

/** @param path the current page's path */
export function settingsTop({ blog }: BlogVisit, path: string): Html {
  return html`<div class="page-head"><h1>Settings</h1></div>
<nav class="tabs" aria-label="Blog settings">
${settingsLinks(blog).map((link, index) => html`<a href="${link.path}"${TABS[index]?.path === path && html` aria-current="page"`}>${link.label}</a>`)}
</nav>`;
}
