import { type Html, html } from "../../text/html";
import type { BlogVisit } from "../layout/visit";
import { copySection } from "./copy-section";
import { fediverseSection } from "./fediverse-section";
import { mentionSection } from "./mention-section";
import { newsletterSection } from "./newsletter-section";

/** A section for one channel to readers. The section's forms have their own routes. */
interface ReachSection {
  title: string;
  show(visit: BlogVisit, typed?: { errors: string[] }): Html | Promise<Html>;
}

const SECTIONS: ReachSection[] = [newsletterSection, fediverseSection, copySection, mentionSection];

/** @param errors errors of a rejected form, by the section's title */
export async function reachMain(visit: BlogVisit, errors: Record<string, string[]> = {}): Promise<Html> {
  const parts: Html[] = [];
  for (const { title, show } of SECTIONS) {
    const shown = await show(visit, errors[title] && { errors: errors[title] });
    parts.push(html`<section class="settings"><h2>${title}</h2>${shown}</section>`);
  }
  return html`<div class="page-head"><h1>Reach</h1></div>
<p class="lead">Ways to reach readers beyond the site and its feeds. Each is off until you turn it on.</p>
${parts}`;
}
