import { html } from "../../../html";

/** A film's address on a page for people → the frame that plays it; a link where nobody's player may be shown. */
export function playerOrLink(address: string, title = ""): string {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return "";
  const player = playerAt(url);
  if (player) return html`<iframe src="${player}" allowfullscreen loading="lazy"></iframe>`.markup;
  return html`<p><a href="${url.href}">${title || url.href}</a></p>`.markup;
}

function playerAt({ hostname, pathname, searchParams }: URL): string | null {
  const host = hostname.replace(/^(?:www|m)\./, "");
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "";
  const isYouTube = /^(?:youtube\.com|youtube-nocookie\.com)$/.test(host);
  const film = isYouTube ? (searchParams.get("v") ?? last) : host === "youtu.be" ? last : "";
  if (/^[\w-]{6,20}$/.test(film) && !/^(?:watch|playlist)$/.test(film))
    return `https://www.youtube-nocookie.com/embed/${film}`;
  if (/^(?:player\.)?vimeo\.com$/.test(host) && /^\d{3,15}$/.test(last))
    return `https://player.vimeo.com/video/${last}`;
  return null;
}
