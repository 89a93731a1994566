import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";

/** Built-in documents of every blog. */
const DOCUMENT =
  /^(?:(?:category\/[^/]+\/)?feed\.(?:xml|atom|json)|sitemap\.xml|robots\.txt|site\.webmanifest|favicon\.(?:svg|ico)|icon-\d+\.png)$/;
/** Paths that need a server. */
const DYNAMIC_PATHS =
  /^(?:api|micropub|auth|admin|share|search|komments|setup|\.well-known|livez|readyz|metrics|@[^/]*)(?:\/|$)/;

/** Maps URLs to files of a static site. */
export class SiteFiles {
  readonly home: URL;
  private readonly hosts: Set<string>;

  /** @param ownFiles the owner's files at the blog's root */
  constructor(
    platen: Platen,
    blog: Blog,
    private readonly ownFiles: ReadonlySet<string>,
  ) {
    this.home = new URL(blogUrl(platen, blog));
    this.hosts = new Set([this.home.host, new URL(platen.config.url).host]);
  }

  /** "tea/index.html"; null if the URL is not part of the site. */
  fileFor(url: URL): string | null {
    if (!this.hosts.has(url.host)) return null;
    if (/^\/(?:media|assets)\//.test(url.pathname)) return safe(url.pathname.slice(1));
    const below = this.below(url);
    if (below === null) return null;
    const path = safe(below);
    if (path !== null && this.ownFiles.has(path)) return path;
    if (DYNAMIC_PATHS.test(below)) return null;
    const bare = below.replace(/\/$/, "");
    if (DOCUMENT.test(bare)) {
      const part = bare === "sitemap.xml" ? url.searchParams.get("part") : null;
      return part === null ? safe(bare) : `sitemap-${Number(part)}.xml`;
    }
    // The URL of an imported post.
    if (/\.html?$/.test(bare)) return safe(bare);
    const numbered = ["page", "komments"].flatMap((name) => {
      const number = url.searchParams.get(name);
      return number !== null && /^\d{1,9}$/.test(number) && number !== "1" ? [name, number] : [];
    });
    return safe([...(bare === "" ? [] : [bare]), ...numbered, "index.html"].join("/"));
  }

  /** Whether the URL needs a server. */
  isLiving(url: URL): boolean {
    const below = this.below(url);
    return below !== null && DYNAMIC_PATHS.test(below) && !below.startsWith("@");
  }

  private below({ host, pathname }: URL): string | null {
    const isOurs = host === this.home.host && pathname.startsWith(this.home.pathname);
    return isOurs ? pathname.slice(this.home.pathname.length) : null;
  }
}

/** The decoded path of a file; null if it would be outside the folder. */
export function safe(path: string): string | null {
  try {
    const names = path.split("/").map(decodeURIComponent);
    const isSound = names.every(
      (name) => name !== "" && !/^\.{1,2}$|[/\\\0]/.test(name) && name.length < 250,
    );
    return isSound ? names.join("/") : null;
  } catch {
    return null;
  }
}

/** A relative link; index.html is left out. */
export function linkBetween(from: string, to: string): string {
  const [here, there] = [from.split("/").slice(0, -1), to.split("/")];
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared++;
  const down = there
    .slice(shared)
    .map(encodeURIComponent)
    .join("/")
    .replace(/(?:^|(?<=\/))index\.html$/, "");
  return "../".repeat(here.length - shared) + down || "./";
}
