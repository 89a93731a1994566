import { type Blog, blogUrl, changeReach } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { parseWebUrl } from "../text/web-urls";

const MAX_HUB_LENGTH = 2000;

interface MentionSettings {
  webmention?: boolean;
  /** URL of a WebSub hub; "": none. */
  hub?: string;
}

export function changeMentionSettings(platen: Platen, blog: Blog, changes: MentionSettings): Blog {
  if (changes.webmention === undefined && changes.hub === undefined) return blog;
  const hub = changes.hub === undefined ? undefined : parseHub(changes.hub);
  return inTransaction(platen, () =>
    changeReach(platen, blog.id, {
      ...(changes.webmention !== undefined && { webmention: changes.webmention ? {} : undefined }),
      ...(hub !== undefined && { hub: hub === null ? undefined : { url: hub } }),
    }),
  );
}

export function hasWebmentions({ reach }: Blog): boolean {
  return reach?.webmention !== undefined;
}

export function hubOf({ reach }: Blog): string | null {
  return (reach?.hub as { url: string } | undefined)?.url ?? null;
}

export function webmentionUrl(platen: Platen, blog: Blog): string {
  return `${blogUrl(platen, blog)}webmention`;
}

function parseHub(text: string): string | null {
  const typed = text.trim();
  if (typed === "") return null;
  const url = parseWebUrl(typed, { most: MAX_HUB_LENGTH });
  if (!url) throw invalid({ hub: ["must be an http or https URL"] });
  return url.href;
}
