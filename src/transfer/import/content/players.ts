import { VIDEO_HOSTS } from "../../../posts/post/post";
import { html } from "../../../text/html";

export function playerHtml(kind: "audio" | "video", address: string): string {
  return html`<${kind} src="${address}" controls></${kind}>`.markup;
}

export function linkParagraph(address: string, words: string): string {
  return html`<p><a href="${address}">${words || address}</a></p>`.markup;
}

export function videoPlayerOrLink(address: string, title = ""): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return "";
  const player = playerAt(url);
  return player ? frameHtml(player) : linkParagraph(url.href, title);
}

export function framePlayerOrLink(address: string, title: string): string {
  const url = URL.parse(address.trim(), "https://nowhere.invalid/");
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "nowhere.invalid") return "";
  url.protocol = "https:";
  const isPlayer = VIDEO_HOSTS.includes(url.hostname) && playerAt(url) === null;
  return isPlayer ? frameHtml(url.href) : videoPlayerOrLink(url.href, title);
}

function frameHtml(address: string): string {
  return html`<iframe src="${address}" allowfullscreen loading="lazy"></iframe>`.markup;
}

function playerAt({ hostname, pathname, searchParams }: URL): string | null {
  const host = hostname.replace(/^(?:www|m)\./, "");
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "";
  const isYouTube = /^(?:youtube\.com|youtube-nocookie\.com)$/.test(host);
  const videoId = isYouTube ? (searchParams.get("v") ?? last) : host === "youtu.be" ? last : "";
  if (/^[\w-]{6,20}$/.test(videoId) && !/^(?:watch|playlist)$/.test(videoId))
    return `https://www.youtube-nocookie.com/embed/${videoId}`;
  if (/^(?:player\.)?vimeo\.com$/.test(host) && /^\d{3,15}$/.test(last))
    return `https://player.vimeo.com/video/${last}`;
  return null;
}
