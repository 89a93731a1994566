import type { Html } from "../../html";
import type { Document } from "../documents/document";
import { manifest } from "../documents/manifest";
import { robots } from "../documents/robots";
import { securityTxt } from "../documents/security-txt";
import { sitemap } from "../documents/sitemap";
import { atom } from "../feeds/atom";
import { type Feed, feedOf } from "../feeds/feed";
import { jsonFeed } from "../feeds/json-feed";
import { rss } from "../feeds/rss";
import { icoIcon, pngIcon, svgIcon } from "../images/icons";
import type { Visit } from "../layout/visit";
import { archivePage } from "../pages/archive-page";
import { homePage } from "../pages/home-page";
import { searchPage } from "../pages/search-page";
import { categoryPage, tagPage } from "../pages/topic-pages";

/** What a place shows; null where there is nothing after all. */
type Show<Shown> = (visit: Visit, name: string) => Shown | null;

/** The pages of a blog by their path in it; what stands in brackets is the name that `Show` is given. */
const PAGES: [RegExp, Show<Html>][] = [
  [/^\/$/, homePage],
  [/^\/archive$/, archivePage],
  [/^\/search$/, searchPage],
  [/^\/category\/([^/]+)$/, categoryPage],
  [/^\/tag\/([^/]+)$/, tagPage],
];

/** What is for machines. Slugs hold no dots, so no post is at any of these. */
const DOCUMENTS: [RegExp, Show<Document | Promise<Document>>][] = [
  [
    /^(?:\/category\/([^/]+))?\/feed\.xml$/,
    feed("feed.xml", "application/rss+xml; charset=utf-8", ({ platen }, content) => rss(platen, content)),
  ],
  [
    /^(?:\/category\/([^/]+))?\/feed\.atom$/,
    feed("feed.atom", "application/atom+xml; charset=utf-8", ({ platen }, content) => atom(platen, content)),
  ],
  [
    /^(?:\/category\/([^/]+))?\/feed\.json$/,
    feed("feed.json", "application/feed+json; charset=utf-8", ({ platen }, content) =>
      jsonFeed(platen, content),
    ),
  ],
  [/^\/sitemap\.xml$/, (visit) => ({ contentType: "application/xml; charset=utf-8", body: sitemap(visit) })],
  [/^\/robots\.txt$/, (visit) => ({ contentType: "text/plain; charset=utf-8", body: robots(visit) })],
  [
    /^\/\.well-known\/security\.txt$/,
    (visit) => {
      const body = securityTxt(visit);
      return body === null ? null : { contentType: "text/plain; charset=utf-8", body };
    },
  ],
  [
    /^\/site\.webmanifest$/,
    (visit) => ({ contentType: "application/manifest+json; charset=utf-8", body: manifest(visit) }),
  ],
  [/^\/favicon\.svg$/, (visit) => ({ contentType: "image/svg+xml", body: svgIcon(visit) })],
  [
    /^\/favicon\.ico$/,
    async ({ platen, blog }) => ({ contentType: "image/x-icon", body: await icoIcon(platen, blog) }),
  ],
  [
    /^\/icon-(180|192|512)\.png$/,
    async ({ platen, blog }, size) => ({
      contentType: "image/png",
      body: await pngIcon(platen, blog, Number(size)),
    }),
  ],
];

function feed(
  name: string,
  contentType: string,
  write: (visit: Visit, feed: Feed) => string,
): Show<Document> {
  return (visit, category) => {
    const content = feedOf(visit.platen, visit.blog, name, category || undefined);
    return content && { contentType, body: write(visit, content) };
  };
}

/** The page that is always at this path of a blog, whatever posts it has; undefined where none is. */
export function pageAt(path: string): ((visit: Visit) => Html | null) | undefined {
  return placeAt(PAGES, path);
}

export function documentAt(
  path: string,
): ((visit: Visit) => Document | Promise<Document> | null) | undefined {
  return placeAt(DOCUMENTS, path);
}

function placeAt<Shown>(places: [RegExp, Show<Shown>][], path: string) {
  for (const [pattern, show] of places) {
    const match = pattern.exec(path);
    if (match) return (visit: Visit) => show(visit, match[1] ?? "");
  }
  return undefined;
}
