import { percentDecoded } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import { parseWebUrl } from "../../text/web-urls";
import { type Properties, urlOfValue } from "../post/mf2-properties";

const CONTEXTS: [property: string, words: string][] = [
  ["in-reply-to", "In reply to"],
  ["like-of", "Liked"],
  ["repost-of", "Reposted"],
  ["bookmark-of", "Bookmarked"],
  ["listen-of", "Listened to"],
  ["watch-of", "Watched"],
  ["read-of", "Read"],
];
const MAX_SHOWN = 50;

/** Clients can send any value, so only http(s) URLs become links. */
export function replyContext(properties: Properties): Html | null {
  const [rsvp] = texts(properties.rsvp);
  const lines = [
    ...CONTEXTS.map(([property, words]) => linksLine(words, `u-${property}`, properties[property])),
    rsvp && html`<p>RSVP: <data class="p-rsvp" value="${rsvp}">${rsvp}</data></p>`,
    placeLine("u-checkin", properties.checkin),
    placeLine("p-location", properties.location),
    properties.summary && html`<p class="p-summary">${texts(properties.summary).join(" ")}</p>`,
    ...foreignMedia(properties),
  ].filter((line) => line instanceof Object);
  return lines.length > 0 ? html`<div class="context">${lines}</div>` : null;
}

export function peopleAndSyndication(properties: Properties): Html | null {
  const people = (properties.category ?? []).filter((value) => typeof value === "object");
  const lines = [
    linksLine("With", "u-category", people, "h-card"),
    linksLine("Also at", "u-syndication", properties.syndication),
  ].filter((line) => line !== null);
  return lines.length > 0 ? html`<div class="context">${lines}</div>` : null;
}

/** Such as "Liked example.org/cat", for a post without a title. "" if the properties give no text. */
export function replyContextText(properties: Properties): string {
  for (const [property, words] of CONTEXTS) {
    const [first] = properties[property] ?? [];
    if (first !== undefined) return `${words} ${valueName(first)}`;
  }
  const [place] = properties.checkin ?? [];
  return place === undefined ? texts(properties.summary).join(" ") : `At ${valueName(place)}`;
}

function linksLine(words: string, className: string, values: unknown[] = [], kind = "h-cite"): Html | null {
  const shown = values.slice(0, MAX_SHOWN).filter((value) => valueName(value) !== "");
  if (shown.length === 0) return null;
  const links = shown.map((value, at) => html`${at > 0 && ", "}${linkTo(value, className, kind)}`);
  return html`<p>${words} ${links}</p>`;
}

function linkTo(value: unknown, className: string, kind: string): Html {
  const href = parseWebUrl(urlOfValue(value) ?? "")?.href;
  const classes = typeof value === "string" ? className : `${className} ${kind}`;
  const name = valueName(value);
  return href
    ? html`<a class="${classes}" href="${href}">${name}</a>`
    : html`<span class="${classes}">${name}</span>`;
}

function placeLine(className: string, values: unknown[] = []): Html | null {
  const [place = ""] = texts(values.slice(0, 1));
  const [, latitude, longitude] = /^geo:(-?[\d.]+),(-?[\d.]+)/.exec(place) ?? [];
  if (!latitude || !longitude) return linksLine("At", className, values.slice(0, 1), "h-card");
  const [, named = `${latitude}, ${longitude}`] = /;name=([^;]+)/.exec(place) ?? [];
  return html`<p>At <span class="${className} h-geo"><data class="p-latitude" value="${latitude}"></data><data class="p-longitude" value="${longitude}"></data>${percentDecoded(named) ?? named}</span></p>`;
}

const MEDIA: Record<string, (src: string, alt: string) => Html> = {
  photo: (src, alt) => html`<img class="u-photo" src="${src}" alt="${alt}" loading="lazy">`,
  video: (src) => html`<video class="u-video" controls preload="metadata" playsinline src="${src}"></video>`,
  audio: (src) => html`<audio class="u-audio" controls preload="metadata" src="${src}"></audio>`,
};

function foreignMedia(properties: Properties): Html[] {
  return Object.entries(MEDIA).flatMap(([name, element]) =>
    (properties[name] ?? []).slice(0, MAX_SHOWN).flatMap((value) => {
      const src = parseWebUrl(urlOfValue(value) ?? "")?.href;
      return src ? [html`<p>${element(src, altOfValue(value))}</p>`] : [];
    }),
  );
}

export function altOfValue(value: unknown): string {
  const alt = typeof value === "object" && value !== null && "alt" in value ? value.alt : "";
  return typeof alt === "string" ? alt : "";
}

function valueName(value: unknown): string {
  if (typeof value === "object" && value !== null && "properties" in value) {
    const { name } = (value.properties ?? {}) as { name?: unknown };
    const [givenName] = texts(Array.isArray(name) ? name : [name]);
    if (givenName) return givenName;
  }
  return (urlOfValue(value) ?? "").replace(/^https?:\/\/(www\.)?|\/$/g, "");
}

function texts(values: unknown[] | undefined): string[] {
  return (values ?? []).filter((value) => typeof value === "string" && value.trim() !== "") as string[];
}
