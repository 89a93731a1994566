import { FEED_FORMATS, feedDocument } from "../feeds";
import { FAVICON_SIZE, PNG_SIZES, pngIcon, svgIcon } from "../images/title-cards-and-icons";
import { archivePage, categoryPage, tagPage } from "../pages/archive-and-topic-pages";
import { homePage } from "../pages/home-page";
import { searchPage } from "../pages/search-page";
import { manifest, robots, securityTxt, sitemap, standardSite } from "../pages/sitemap-robots-and-manifest";
import type { BlogRequest, Route } from "../route-types";
import { WORDPRESS_ID_PARAMETERS } from "./redirects";

const ROUTES: Route[] = [
  { path: "/", reads: ["page", "lang", ...WORDPRESS_ID_PARAMETERS], show: homePage },
  { path: "/archive", reads: ["page"], show: archivePage },
  { path: "/search", reads: ["q", "page"], show: searchPage },
  { path: "/category/:slug", reads: ["page"], show: categoryPage },
  { path: "/tag/:slug", reads: ["page"], show: tagPage },
  { path: "/sitemap.xml", reads: ["part"], show: sitemap },
  { path: "/robots.txt", show: robots },
  { path: "/.well-known/security.txt", show: securityTxt },
  { path: "/.well-known/site.standard.publication", show: standardSite },
  { path: "/site.webmanifest", show: manifest },
  { path: "/favicon.svg", show: svgIcon },
  { path: "/favicon.ico", show: (request) => pngIcon(request, FAVICON_SIZE) },
  ...PNG_SIZES.map((size): Route => {
    return { path: `/icon-${size}.png`, show: (request) => pngIcon(request, size) };
  }),
  ...FEED_FORMATS.flatMap((format): Route[] => {
    const show = (request: BlogRequest, slug: string) => feedDocument(request, format, slug);
    return [
      { path: `/${format.name}`, reads: ["lang"], show },
      { path: `/category/:slug/${format.name}`, show },
    ];
  }),
];

const PATTERNS = ROUTES.map((route): [RegExp, Route] => {
  const [start = "", end] = route.path.split(":slug");
  const slug = end === undefined ? "" : `([^/]+)${RegExp.escape(end)}`;
  return [new RegExp(`^${RegExp.escape(start)}${slug}$`), route];
});

/** Paths without a route are treated as posts. */
export function routeAt(path: string) {
  for (const [pattern, { show, reads = [] }] of PATTERNS) {
    const match = pattern.exec(path);
    if (match) return { reads, show: (request: BlogRequest) => show(request, match[1] ?? "") };
  }
  return undefined;
}
