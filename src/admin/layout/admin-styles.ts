import { type Asset, stylesheet } from "../../http/responses/assets";
import look from "../../owner/look.css" with { type: "text" };
import { type Html, html } from "../../text/html";
import about from "./about.css" with { type: "text" };
import admin from "./admin.css" with { type: "text" };
import charts from "./charts.css" with { type: "text" };
import editor from "./editor.css" with { type: "text" };
import jobs from "./jobs.css" with { type: "text" };
import media from "./media.css" with { type: "text" };
import reach from "./reach.css" with { type: "text" };
import revisions from "./revisions.css" with { type: "text" };
import settings from "./settings.css" with { type: "text" };

export const adminStyles = stylesheet("admin", look + admin);
export const STYLES: Asset[] = [adminStyles];

export const aboutHead = pageStyles("about", about);
export const chartHead = pageStyles("charts", charts);
/** The first paint waits for the panel, because the text would move if the panel appeared later. */
export const editorHead = html`${pageStyles("editor", editor)}
<link rel="expect" href="#panel" blocking="render">`;
export const jobHead = pageStyles("jobs", jobs);
export const mediaHead = pageStyles("media", media);
export const reachHead = pageStyles("reach", reach);
export const revisionsHead = pageStyles("revisions", revisions);
export const settingsHead = pageStyles("settings", settings);

function pageStyles(name: string, css: string): Html {
  const styles = stylesheet(name, css);
  STYLES.push(styles);
  return html`<link rel="stylesheet" href="${styles.path}">`;
}
