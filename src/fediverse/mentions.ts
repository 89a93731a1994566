import { SECOND } from "../config/units";
import type { sentObjects } from "../database/schema";
import { isHostBlocked } from "../komments/blocked-words-and-hosts";
import type { Platen } from "../platen";
import { html } from "../text/html";
import { isObject } from "../text/json";
import { hostOfId, listOf, textOf } from "./activity-streams";
import { type BlogActor, handleOf } from "./blog-actors";
import { fetchActor, inboxOf, knownActor } from "./remote-actors";
import { askForDocument } from "./remote-documents";

export type Mention = (typeof sentObjects.$inferSelect)["mentions"][number];

const MAX_MENTIONS = 10;
const TIMEOUT_MS = 3 * SECOND;

const HANDLE = /(?<![\w@/.-])@[\w.-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{1,63}(?::\d{1,5})?(?![\w@])/gi;

export function handlesIn(text: string): string[] {
  const found = [...text.matchAll(HANDLE)].map(([handle]) => handle.toLowerCase());
  return [...new Set(found)].slice(0, MAX_MENTIONS);
}

/** Leaves links and code as they are. @param content sanitized HTML */
export function linkMentions(content: string, mentions: Mention[]): string {
  if (mentions.length === 0) return content;
  let depth = 0;
  const link = (handle: string) => {
    const found = mentions.find((mention) => mention.handle === handle.toLowerCase());
    return found ? html`<a href="${found.url}" class="u-url mention">${handle}</a>`.markup : handle;
  };
  const parts = content.split(/(<[^<>]*>)/).map((part) => {
    const [, end, name] = /^<(\/?)(a|code|pre)\b/.exec(part) ?? [];
    if (name) depth += end ? -1 : 1;
    return depth > 0 || part.startsWith("<") ? part : part.replace(HANDLE, link);
  });
  return parts.join("");
}

export async function lookUpMentions(platen: Platen, actor: BlogActor, handles: string[], stop: AbortSignal) {
  const limit = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  const others = handles.filter((handle) => handle !== handleOf(actor));
  const found = await Promise.all(
    others.map((handle) => lookUp(platen, actor, handle, limit).catch(() => null)),
  );
  return found.filter((mention) => mention !== null);
}

async function lookUp(platen: Platen, actor: BlogActor, handle: string, stop: AbortSignal) {
  const url = await actorUrlOfHandle(platen, actor, handle, stop);
  const host = hostOfId(url);
  if (!url || !host) return null;
  if ([hostOfHandle(handle), host].some((each) => isHostBlocked(platen, actor.blog, each))) return null;
  const remote = knownActor(platen, url) ?? (await fetchActor(platen, actor, url, stop));
  return remote && { handle, href: remote.url, url: remote.profileUrl, inbox: inboxOf(remote) };
}

const hostOfHandle = (handle: string) => handle.slice(handle.lastIndexOf("@") + 1);

/** WebFinger (RFC 7033). @param handle "@name@host" */
export async function actorUrlOfHandle(platen: Platen, actor: BlogActor, handle: string, stop?: AbortSignal) {
  const host = hostOfHandle(handle);
  const isPrivate = platen.config.privateHosts.includes(host.replace(/:\d+$/, ""));
  const scheme = isPrivate ? new URL(actor.base).protocol : "https:";
  const resource = encodeURIComponent(`acct:${handle.slice(1)}`);
  const answer = await askForDocument(platen, actor, {
    url: `${scheme}//${host}/.well-known/webfinger?resource=${resource}`,
    accept: "application/jrd+json, application/json",
    ...{ redirects: 2, within: TIMEOUT_MS, stop },
  });
  if ("failed" in answer || answer.status !== 200) return null;
  const links = listOf(answer.document?.links).filter(isObject);
  const self = links.find(({ rel, type }) => rel === "self" && /activity\+json|ld\+json/.test(textOf(type)));
  return self ? textOf(self.href) : null;
}
