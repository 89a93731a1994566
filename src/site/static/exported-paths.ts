import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";

/** What is answered by documents that every blog has, below its address. */
const DOCUMENT =
  /^(?:(?:category\/[^/]+\/)?feed\.(?:xml|atom|json)|sitemap\.xml|robots\.txt|site\.webmanifest|favicon\.(?:svg|ico)|icon-\d+\.png)$/;
/** Want a server that thinks; a file cannot stand for them. */
const LIVING =
  /^(?:api|micropub|auth|admin|share|search|komments|setup|\.well-known|livez|readyz|metrics|@[^/]*)(?:\/|$)/;

/** Which file of a static site stands for which address. */
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

  /** "tea/index.html"; null for what is no part of the site. */
  fileFor(url: URL): string | null {
    if (!this.hosts.has(url.host)) return null;
    if (/^\/(?:media|assets)\//.test(url.pathname)) return safe(url.pathname.slice(1));
    const below = this.below(url);
    if (below === null) return null;
    const path = safe(below);
    if (path !== null && this.ownFiles.has(path)) return path;
    if (LIVING.test(below)) return null;
    const bare = below.replace(/\/$/, "");
    if (DOCUMENT.test(bare)) {
      const part = bare === "sitemap.xml" ? url.searchParams.get("part") : null;
      return part === null ? safe(bare) : `sitemap-${Number(part)}.xml`;
    }
    // An address that a post had elsewhere.
    if (/\.html?$/.test(bare)) return safe(bare);
    const numbered = ["page", "komments"].flatMap((name) => {
      const number = url.searchParams.get(name);
      return number !== null && /^\d{1,9}$/.test(number) && number !== "1" ? [name, number] : [];
    });
    return safe([...(bare === "" ? [] : [bare]), ...numbered, "index.html"].join("/"));
  }

  /** Does it lead to what only a server can do, on this blog? */
  isLiving(url: URL): boolean {
    const below = this.below(url);
    return below !== null && LIVING.test(below) && !below.startsWith("@");
  }

  private below({ host, pathname }: URL): string | null {
    const isOurs = host === this.home.host && pathname.startsWith(this.home.pathname);
    return isOurs ? pathname.slice(this.home.pathname.length) : null;
  }
}

/** Decoded, as it lies on a disk; null where it would lie elsewhere. */
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

/** From one file to another, as a link: a folder's own page is the folder. */
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
