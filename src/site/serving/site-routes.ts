import type { Html } from "../../text/html";
import { FEED_FORMATS, feedDocument } from "../feeds";
import { FAVICON_SIZE, PNG_SIZES, pngIcon, svgIcon } from "../images/title-cards-and-icons";
import { KOMMENT_QUERY } from "../komments/komment-section";
import { archivePage, categoryPage, tagPage } from "../pages/archive-and-topic-pages";
import { homePage } from "../pages/home-page";
import { searchPage } from "../pages/search-page";
import { manifest, robots, securityTxt, sitemap, standardSite } from "../pages/sitemap-robots-and-manifest";
import type { BlogRequest, Document, Route } from "../route-types";
import { WORDPRESS_ID_PARAMETERS } from "./redirects";

const PAGES: Route<Html | Promise<Html | null>>[] = [
  { path: "/", reads: ["page", "lang", ...WORDPRESS_ID_PARAMETERS], show: homePage },
  { path: "/archive", reads: ["page"], show: archivePage },
  { path: "/search", reads: ["q", "page"], show: searchPage },
  { path: "/category/:slug", reads: ["page"], show: categoryPage },
  { path: "/tag/:slug", reads: ["page"], show: tagPage },
];

const DOCUMENTS: Route<Document | Promise<Document | null>>[] = [
  { path: "/sitemap.xml", reads: ["part"], show: sitemap },
  { path: "/robots.txt", show: robots },
  { path: "/.well-known/security.txt", show: securityTxt },
  { path: "/.well-known/site.standard.publication", show: standardSite },
  { path: "/site.webmanifest", show: manifest },
  { path: "/favicon.svg", show: svgIcon },
  { path: "/favicon.ico", show: (request) => pngIcon(request, FAVICON_SIZE) },
  ...PNG_SIZES.map((size): Route<Promise<Document>> => {
    return { path: `/icon-${size}.png`, show: (request) => pngIcon(request, size) };
  }),
  ...FEED_FORMATS.flatMap((format): Route<Document>[] => {
    const show = (request: BlogRequest, slug: string) => feedDocument(request, format, slug);
    return [
      { path: `/${format.name}`, reads: ["lang"], show },
      { path: `/category/:slug/${format.name}`, show },
    ];
  }),
];

export const pageAt = (path: string) => routeAt(PAGE_PATTERNS, path)?.show;
export const documentAt = (path: string) => routeAt(DOCUMENT_PATTERNS, path)?.show;

/** Paths without a route are treated as posts. */
export function queryReadAt(path: string): readonly string[] {
  const route = routeAt(PAGE_PATTERNS, path) ?? routeAt(DOCUMENT_PATTERNS, path);
  return route ? (route.reads ?? []) : KOMMENT_QUERY;
}

type Patterns<Shown> = [RegExp, Route<Shown>][];

const PAGE_PATTERNS = patternsOf(PAGES);
const DOCUMENT_PATTERNS = patternsOf(DOCUMENTS);

function patternsOf<Shown>(routes: Route<Shown>[]): Patterns<Shown> {
  return routes.map((route) => {
    const [start = "", end] = route.path.split(":slug");
    const slug = end === undefined ? "" : `([^/]+)${RegExp.escape(end)}`;
    return [new RegExp(`^${RegExp.escape(start)}${slug}$`), route];
  });
}

function routeAt<Shown>(patterns: Patterns<Shown>, path: string) {
  for (const [pattern, { show, reads }] of patterns) {
    const match = pattern.exec(path);
    if (match) return { reads, show: (request: BlogRequest) => show(request, match[1] ?? "") };
  }
  return undefined;
}
