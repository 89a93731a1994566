import { type Html, html } from "../../text/html";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { generalSection } from "./forms/general-section";
import { lookSection } from "./forms/look-section";
import { readingSection } from "./forms/reading-section";
import type { ShownSettings } from "./forms/settings-fields";

/** A page of the settings. */
export interface Section {
  /** Below /admin/blogs/{slug}/settings. */
  path: string;
  label: string;
  show(visit: BlogVisit, shown: ShownSettings): Html;
}

export const SECTIONS = {
  general: { path: "", label: "General", show: generalSection },
  look: { path: "/look", label: "Look", show: lookSection },
  reading: { path: "/reading", label: "Reading", show: readingSection },
} satisfies Record<string, Section>;

export function settingsMain(visit: BlogVisit, section: Section, shown: ShownSettings): Html {
  return html`${settingsTop(visit, section.path)}
${section.show(visit, shown)}`;
}

/** Of the blog, beside its settings. */
export const MOVING = "/transfer";

/** The pages of the settings, in their order; some have more than forms of their own. */
const TABS = [
  SECTIONS.general,
  SECTIONS.look,
  SECTIONS.reading,
  { path: "/navigation", label: "Navigation" },
  { path: "/address", label: "Address" },
  { path: MOVING, label: "Move in or out" },
] satisfies Pick<Section, "path" | "label">[];

/** @param path of the page that it stands on */
export function settingsTop({ blog }: BlogVisit, path: string): Html {
  return html`<div class="page-head"><h1>Settings</h1></div>
<nav class="tabs wrapping" aria-label="Settings of the blog">
${TABS.map((one) => html`<a href="${blogPath(blog, one.path === MOVING ? MOVING : `/settings${one.path}`)}"${one.path === path && html` aria-current="page"`}>${one.label}</a>`)}
</nav>`;
}
