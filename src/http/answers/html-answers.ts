import type { Html } from "../../html";
import { VIDEO_HOSTS } from "../../posts/content/video-hosts";
import type { TextAnswer } from "./answer";
import { CACHING } from "./caching";
import { etagOf } from "./entity-tags";

/** Whose players a post may embed. */
const FRAMES = VIDEO_HOSTS.map((host) => `https://${host}`).join(" ");

/** No script at all, and nothing from elsewhere but pictures, media and players that a post's author put there. */
const policy = (styles: string) =>
  [
    "default-src 'none'",
    "img-src 'self' https: http: data:",
    "media-src 'self' https: http:",
    `style-src 'self'${styles}`,
    "manifest-src 'self'",
    // For Lighthouse, which reads robots.txt from inside the page.
    "connect-src 'self'",
    `frame-src ${FRAMES}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const HTML_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
};

/** A page for everybody; browsers keep it and ask each time whether it has changed. */
export function publicPage(page: Html, status = 200, headers: Record<string, string> = {}): TextAnswer {
  return htmlAnswer(page, status, {
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": CACHING.asking,
    etag: etagOf(page.markup),
    ...headers,
  });
}

/** A page for one person: not kept, its address not sent to others as a referrer. */
export function privatePage(page: Html, status = 200, headers: Record<string, string> = {}): TextAnswer {
  return htmlAnswer(page, status, {
    "referrer-policy": "no-referrer",
    "cache-control": CACHING.nowhere,
    ...headers,
  });
}

function htmlAnswer(page: Html, status: number, headers: Record<string, string>): TextAnswer {
  const own = { "content-security-policy": policy(hashOfStyle(page.markup)), ...headers };
  return { status, headers: new Headers({ ...HTML_HEADERS, ...own }), body: page.markup };
}

/** The `style` that our own layout wrote into the head, as a source that the policy allows (W3C CSP 3, 2.3.1). */
function hashOfStyle(markup: string): string {
  const head = markup.slice(0, markup.indexOf("</head>"));
  const start = head.indexOf("<style>");
  if (start < 0) return "";
  const css = head.slice(start + "<style>".length, head.indexOf("</style>"));
  return ` 'sha256-${new Bun.CryptoHasher("sha256").update(css).digest("base64")}'`;
}
