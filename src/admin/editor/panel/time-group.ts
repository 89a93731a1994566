import type { FieldErrors } from "../../../errors";
import { formField } from "../../../http/forms/form-field";
import type { Post } from "../../../posts/post/post";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { stateOf, stateWords } from "../../words/post-states";
import { localTime, type Times, timesFor } from "../../words/times";
import { focusAt, panelGroup } from "./panel-group";

export function timeGroup(
  { call, blog }: BlogVisit,
  post: Post | null,
  publishAt: string,
  errors: FieldErrors,
): Html {
  const now = call.platen.now();
  const times = timesFor(blog, now);
  const state = post ? stateOf(post, now) : "draft";
  const [, clock] = localTime(now, blog.timeZone).split("T");
  return panelGroup(
    "When",
    html`${post && html`<p class="now-so">${stateWords(post, now, times)} ${timeOf(post, times)}</p>`}
${formField(
  {
    name: "publish_at",
    label: "Publish at",
    errors: errors.publish_at,
    hint: `Time zone ${blog.timeZone}, now ${clock}.${state === "draft" ? " Leave empty to publish at once." : ""}`,
  },
  (
    attributes,
  ) => html`<div class="beside"><input type="datetime-local" ${attributes}${focusAt("publish_at", errors)} value="${publishAt}" data-zone="${blog.timeZone}">
<button type="button" class="quiet" data-now data-with-scripts>Now</button></div>`,
)}
<p class="said" data-time-said role="status"></p>
<p class="actions">
${state === "draft" && html`<button class="quiet" name="action" value="schedule">Schedule</button>`}
${state === "scheduled" && html`<button class="quiet" name="action" value="publish-now">Publish now</button>`}
${state === "archived" && html`<button class="quiet" name="action" value="publish">Publish</button>`}
${(state === "live" || state === "scheduled") && html`<button class="quiet" name="action" value="unpublish">Unpublish</button>`}
${state === "live" && html`<button class="quiet" name="action" value="archive">Archive</button>`}
</p>
${state === "live" && html`<p class="hint">Unpublish and Archive both remove this from the site. Unpublish also makes it a draft.</p>`}`,
  );
}

function timeOf({ status, publishedAt }: Post, times: Times): Html | null {
  if (status !== "published" || !publishedAt || times.isFull(publishedAt)) return null;
  return html`<span>${times.full(publishedAt)}</span>`;
}
