import { type Blog, blogUrl } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { decodeSegments } from "../../text/clean-text";

const CARD = /^\/assets\/card\//;
const SERVER_LINKS = `link[rel="micropub"], link[rel="indieauth-metadata"], link[rel="authorization_endpoint"],
  link[rel="token_endpoint"], link[rel="webmention"], link[type="application/activity+json"]`;
const LINKS: [selector: string, attribute: string][] = [
  ["a[href], link[href]", "href"],
  ["img[src], video[src], source[src]", "src"],
  ["video[poster]", "poster"],
  // Microformats parsers read this URL.
  ['data[class^="u-"]', "value"],
];

/** Most hosts serve this file for missing pages at any depth, so its links start at the root. */
export const NOT_FOUND_PAGE = "404.html";

type Page = { url: URL; file: string; withCards: boolean; onLink: (url: URL) => void };

export function staticPage(html: string, files: SiteFiles, page: Page): string {
  const { url, file, withCards, onLink } = page;
  const rewriter = new HTMLRewriter();
  const remove = { element: (element: HTMLRewriterTypes.Element) => void element.remove() };
  rewriter.on(SERVER_LINKS, remove).on(".get-mail, form.subscribe, form.search", remove);
  if (file === NOT_FOUND_PAGE) {
    rewriter.on("head", { element: (head) => void head.prepend('<base href="/">', { html: true }) });
    // With a base URL, the link would lead to the home page.
    rewriter.on("a.skip", remove);
  }
  const relative = (address: string): string | null => {
    const target = URL.parse(decodeAttribute(address), url);
    const to = target && files.fileFor(target);
    if (!target || to === null) return target && /^\//.test(address) ? target.href : null;
    onLink(target);
    const komment = target.searchParams.get("komment");
    return linkBetween(file, to) + (komment === null ? target.hash : `#komment-${komment}`);
  };
  for (const [selector, attribute] of LINKS)
    rewriter.on(selector, {
      element(element) {
        const address = element.getAttribute(attribute) ?? "";
        if (address.startsWith("#") || isAboutLivePage(element)) return;
        const target = URL.parse(decodeAttribute(address), url);
        if (element.tagName === "a" && target && files.needsServer(target)) return void element.remove();
        const link = relative(address);
        if (link !== null) element.setAttribute(attribute, escaped(link));
      },
    });
  rewriter.on("[srcset]", {
    element(element) {
      const sizes = decodeAttribute(element.getAttribute("srcset") ?? "").split(/,\s+/);
      const links = sizes.map((size) => {
        const [address = "", width] = size.trim().split(/\s+/);
        return [relative(address) ?? address, width].filter(Boolean).join(" ");
      });
      element.setAttribute("srcset", escaped(links.join(", ")));
    },
  });
  let isCardRemoved = false;
  rewriter.on('meta[property^="og:image"]', {
    element(element) {
      if (element.getAttribute("property") === "og:image") {
        const target = URL.parse(decodeAttribute(element.getAttribute("content") ?? ""));
        isCardRemoved = !withCards && target !== null && CARD.test(target.pathname);
        if (!isCardRemoved && target && files.fileFor(target) !== null) onLink(target);
      }
      if (isCardRemoved) element.remove();
    },
  });
  rewriter.on('meta[name="twitter:card"]', {
    element: (element) => void (isCardRemoved && element.setAttribute("content", "summary")),
  });
  return rewriter.transform(html);
}

/** Canonical links and links to translations stay absolute. A feed with `hreflang` also has a `type`. */
function isAboutLivePage(element: HTMLRewriterTypes.Element): boolean {
  const isTranslation = element.hasAttribute("hreflang") && !element.hasAttribute("type");
  return element.tagName === "link" && (element.getAttribute("rel") === "canonical" || isTranslation);
}

const CHARACTERS: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'", amp: "&" };

/** HTMLRewriter does not decode attributes. */
function decodeAttribute(attribute: string): string {
  return attribute.replace(/&(lt|gt|quot|#x27|#39|amp);/g, (_, name: string) => CHARACTERS[name] as string);
}

/** HTMLRewriter escapes quotes itself. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;");
}

const DOCUMENT =
  /^(?:(?:category\/[^/]+\/)?feed\.(?:xml|atom|json)|sitemap\.xml|robots\.txt|site\.webmanifest|favicon\.(?:svg|ico)|icon-\d+\.png)$/;
const DYNAMIC_PATHS =
  /^(?:api|micropub|auth|admin|share|search|komments|webmention|setup|\.well-known|livez|readyz|metrics|@[^/]*)(?:\/|$)/;

export class SiteFiles {
  readonly home: URL;
  private readonly hosts: Set<string>;

  constructor(
    platen: Platen,
    blog: Blog,
    private readonly ownFiles: ReadonlySet<string>,
  ) {
    this.home = new URL(blogUrl(platen, blog));
    this.hosts = new Set([this.home.host, new URL(platen.config.url).host]);
  }

  /** Path of the static file, such as "tea/index.html"; null if the site has no file for the URL. */
  fileFor(url: URL): string | null {
    if (!this.hosts.has(url.host)) return null;
    if (/^\/(?:media|assets)\//.test(url.pathname)) return safePath(url.pathname.slice(1));
    const pathBelowBlog = this.below(url);
    if (pathBelowBlog === null) return null;
    const path = safePath(pathBelowBlog);
    if (path !== null && this.ownFiles.has(path)) return path;
    if (DYNAMIC_PATHS.test(pathBelowBlog)) return null;
    const bare = pathBelowBlog.replace(/\/$/, "");
    const language = url.searchParams.get("lang");
    if (language !== null && /^(?:feed\.\w+)?$/.test(bare))
      return safePath(`lang/${language}/${this.fileFor(withoutLanguage(url))}`);
    if (DOCUMENT.test(bare)) {
      const part = bare === "sitemap.xml" ? url.searchParams.get("part") : null;
      return part === null ? safePath(bare) : `sitemap-${Number(part)}.xml`;
    }
    // Imported posts may keep URLs that end in ".html".
    if (/\.html?$/.test(bare)) return safePath(bare);
    const numbered = ["page", "komments"].flatMap((name) => {
      const number = url.searchParams.get(name);
      return number !== null && /^\d{1,9}$/.test(number) && number !== "1" ? [name, number] : [];
    });
    return safePath([...(bare === "" ? [] : [bare]), ...numbered, "index.html"].join("/"));
  }

  needsServer(url: URL): boolean {
    const below = this.below(url);
    return below !== null && DYNAMIC_PATHS.test(below) && !below.startsWith("@");
  }

  private below({ host, pathname }: URL): string | null {
    const isOurs = host === this.home.host && pathname.startsWith(this.home.pathname);
    return isOurs ? pathname.slice(this.home.pathname.length) : null;
  }
}

function withoutLanguage(url: URL): URL {
  const other = new URL(url);
  other.searchParams.delete("lang");
  return other;
}

/** null if the path has an empty, unsafe or too long segment, or invalid percent-encoding. */
export function safePath(path: string): string | null {
  const names = decodeSegments(path);
  const isSafe = names?.every((name) => name !== "" && !/^\.{1,2}$|[/\\\0]/.test(name) && name.length < 250);
  return names && isSafe ? names.join("/") : null;
}

export function linkBetween(from: string, to: string): string {
  const [here, there] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++;
  const down = there.slice(shared).map(encodeURIComponent).join("/");
  return "../".repeat(here.length - shared) + down.replace(/(?:^|(?<=\/))index\.html$/, "") || "./";
}
