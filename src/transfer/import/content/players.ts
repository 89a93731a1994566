import { VIDEO_HOSTS } from "../../../posts/post/video-hosts";
import { html } from "../../../text/html";

export function playerHtml(kind: "audio" | "video", address: string): string {
  return html`<${kind} src="${address}" controls></${kind}>`.markup;
}

export function videoPlayerOrLink(address: string, title = ""): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return "";
  const player = playerAt(url);
  if (player) return html`<iframe src="${player}" allowfullscreen loading="lazy"></iframe>`.markup;
  return html`<p><a href="${url.href}">${title || url.href}</a></p>`.markup;
}

export function framePlayerOrLink(address: string, title: string): string {
  const url = URL.parse(address.trim(), "https://nowhere.invalid/");
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "nowhere.invalid") return "";
  url.protocol = "https:";
  if (playerAt(url) === null && VIDEO_HOSTS.includes(url.hostname))
    return html`<iframe src="${url.href}" allowfullscreen loading="lazy"></iframe>`.markup;
  return videoPlayerOrLink(url.href, title);
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
