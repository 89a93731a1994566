import { blogUrl } from "../blogs/permalinks";
import type { Platen } from "../platen";
import { html, raw } from "../text/html";
import { isObject } from "../text/json";
import { type Json, listOf, textOf, webUrlOf } from "./activity-streams";
import { actorId, type BlogActor } from "./blog-actors";

const MAX_ATTACHMENTS = 8;

/** The result is not sanitized. */
export function remoteHtml(platen: Platen, actor: BlogActor, object: Json): string {
  const warning = textOf(object.summary).trim();
  const title = textOf(object.name).trim();
  const content = withoutOurMention(textOf(object.content), [actorId(actor), blogUrl(platen, actor.blog)]);
  const heading = title && html`<p><strong>${title}</strong></p>`.markup;
  const body = [heading, content, ...attachmentLinks(object)].join("");
  return warning === "" ? body : html`<details><summary>${warning}</summary>${raw(body)}</details>`.markup;
}

function withoutOurMention(content: string, ownUrls: string[]): string {
  const [mention, before = "", href = ""] =
    /^(\s{0,20}(?:<p>)?\s{0,20})(?:<span[^>]{0,200}>)?<a\s[^>]{0,500}?href="([^"]{1,2000})"[^>]{0,500}>@(?:<span>)?[^<]{0,200}(?:<\/span>)?<\/a>(?:<\/span>)?[\s,:]{0,20}/.exec(
      content,
    ) ?? [];
  const isOwnMention = ownUrls.some((url) => href === url || `${href}/` === url);
  return mention !== undefined && isOwnMention ? before + content.slice(mention.length) : content;
}

/** Pictures become links, so that readers' browsers send nothing to other servers. */
function attachmentLinks({ attachment }: Json): string[] {
  return listOf(attachment)
    .slice(0, MAX_ATTACHMENTS)
    .filter(isObject)
    .flatMap((file) => {
      const url = webUrlOf(file.url) ?? webUrlOf(file.href);
      if (url === null) return [];
      const kind = textOf(file.mediaType).startsWith("image/") || file.type === "Image" ? "Picture" : "File";
      const alt = textOf(file.name).trim();
      return [html`<p><a href="${url}">${kind}${alt && `: ${alt}`}</a></p>`.markup];
    });
}
