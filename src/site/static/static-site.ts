import type { Blog } from "../../blogs/blogs";
import { publicFileAt } from "../../blogs/public-files";
import { findRows } from "../../database/rows";
import { formerTopics } from "../../database/schema";
import type { Platen } from "../../platen";
import { collectGarbageAfter } from "../../runtime/garbage-collection";
import { yieldToEventLoop } from "../../runtime/yielding";
import { html } from "../../text/html";
import { type ExportContext, tryOrReport } from "../../transfer/export/export-blog";
import { listLiveSlugs, listPreviousPaths } from "../../transfer/export/exported-posts-and-media";
import { ownFilesOf } from "../serving/public-folder";
import { linkBetween, NOT_FOUND_PAGE, SiteFiles, safePath, staticPage } from "./static-page";

const DOCUMENTS = ["sitemap.xml", "robots.txt", "feed.xml", "feed.atom", "feed.json", "favicon.ico"];

type FetchPage = (request: Request) => Promise<Response>;

export async function writeStaticSite(writing: ExportContext, fetchPage: FetchPage): Promise<void> {
  const { platen, blog } = writing;
  const ownFiles = new Set(await ownFilesOf(platen, blog));
  const site = new StaticSite(platen, blog, fetchPage, writing, ownFiles);
  for (const path of ownFiles) await site.writeOwnFile(path);
  for (const path of ["", ...DOCUMENTS, NOT_FOUND_PAGE])
    site.enqueue(new URL(path, site.files.home), "the site");
  for (const slug of listLiveSlugs(platen, blog))
    site.enqueue(new URL(slug, site.files.home), "the list of posts");
  await site.writeAll();
  await site.writeRedirects();
}

/** More than one, because title cards are drawn in another process. */
const CONCURRENCY = 4;
/** Estimated garbage per page, as a multiple of the page's length. */
const GARBAGE_FACTOR = 4;

interface QueuedFile {
  file: string;
  url: string;
  /** For errors: the URL of a page that links to this file, or a text such as "the site". */
  from: string;
}

class StaticSite {
  readonly files: SiteFiles;
  private readonly queue: QueuedFile[] = [];
  private readonly known = new Set<string>();
  private readonly redirects: string[] = [];

  constructor(
    private readonly platen: Platen,
    private readonly blog: Blog,
    private readonly fetchPage: FetchPage,
    private readonly writing: ExportContext,
    private readonly ownFiles: ReadonlySet<string>,
  ) {
    this.files = new SiteFiles(platen, blog, ownFiles);
  }

  enqueue(url: URL, from: string): void {
    const file = this.files.fileFor(url);
    if (file === null || this.ownFiles.has(file) || !this.isNew(file)) return;
    // URLs with and without a trailing slash are the same file.
    const path = url.pathname === this.files.home.pathname ? url.pathname : url.pathname.replace(/\/$/, "");
    this.queue.push({ file, url: url.origin + path + searchOf(url), from });
  }

  private isNew(file: string): boolean {
    return this.known.size < this.known.add(file).size;
  }

  async writeOwnFile(path: string): Promise<void> {
    const { out, report } = this.writing;
    await tryOrReport(this.writing, path, async () => {
      const file = await publicFileAt(this.platen, this.blog, path.split("/"));
      if (!file) return;
      await out.bytes(path, file.stats.mtime, Bun.file(file.path).stream());
      report.files++;
    });
  }

  async writeAll(): Promise<void> {
    const pending: [QueuedFile, Promise<Response>][] = [];
    for (let next = 0; next < this.queue.length || pending.length > 0; ) {
      while (pending.length < CONCURRENCY && next < this.queue.length) {
        const queued = this.queue[next++] as QueuedFile;
        pending.push([queued, this.fetchPage(new Request(queued.url))]);
      }
      const [queued, response] = pending.shift() as (typeof pending)[number];
      await tryOrReport(this.writing, queued.url, async () => this.write(queued, await response));
      this.writing.work.total = this.queue.length;
      await this.writing.step();
      // Garbage is collected only between ticks of the event loop.
      await yieldToEventLoop();
    }
  }

  private async write({ url, file, from }: QueuedFile, response: Response): Promise<void> {
    const { out, report, withCards } = this.writing;
    if (response.status === 301 || response.status === 302)
      return await this.writeRedirectResponse(url, file, response);
    if (response.status !== 200 && file !== NOT_FOUND_PAGE)
      throw new Error(`${from} links to this address, which returns ${response.status}`);
    const type = response.headers.get("content-type") ?? "";
    const at = this.platen.now();
    if (!type.startsWith("text/html")) {
      if (type.startsWith("text/css")) await out.text(file, at, this.stylesheet(await response.text(), url));
      else if (type.includes("manifest")) await out.text(file, at, this.manifest(await response.text()));
      else if (file.startsWith("sitemap")) await out.text(file, at, this.sitemap(await response.text()));
      else if (response.body) await out.bytes(file, at, response.body);
      report.files++;
      return;
    }
    const onLink = (target: URL) => this.enqueue(target, url);
    const html = await response.text();
    collectGarbageAfter(GARBAGE_FACTOR * html.length);
    const page = { url: new URL(url), file, withCards, onLink };
    await out.text(file, at, staticPage(html, this.files, page));
    report.pages++;
  }

  private async writeRedirectResponse(url: string, file: string, response: Response): Promise<void> {
    const target = URL.parse(response.headers.get("location") ?? "", url);
    const to = target && this.files.fileFor(target);
    if (!target || to === null || to === file) return;
    this.enqueue(target, url);
    this.redirects.push(redirectLine(file, to));
    const { out } = this.writing;
    const at = this.platen.now();
    // A redirect page does not work for media, so the file itself is written.
    const { body } = file.startsWith("media/") ? await this.fetchPage(new Request(target)) : { body: null };
    if (body) await out.bytes(file, at, body);
    else await out.text(file, at, redirectPage(linkBetween(file, to), target.href));
  }

  private stylesheet(css: string, url: string): string {
    for (const [, font = ""] of css.matchAll(/url\((fonts\/[\w.-]+)\)/g))
      this.enqueue(new URL(font, url), url);
    return css;
  }

  private manifest(text: string): string {
    const base = this.files.home.pathname;
    for (const { src } of JSON.parse(text).icons)
      this.enqueue(new URL(src, this.files.home), "the web app manifest");
    return JSON.stringify(JSON.parse(text), (key, value) =>
      /^(?:src|start_url|scope)$/.test(key) && typeof value === "string" && value.startsWith(base)
        ? `./${value.slice(base.length)}`
        : value,
    );
  }

  private sitemap(text: string): string {
    for (const [, address = "", part = ""] of text.matchAll(/<loc>([^<]{1,2000}\?part=(\d{1,9}))<\/loc>/g))
      this.enqueue(new URL(address.replaceAll("&amp;", "&")), `part ${part}`);
    return text.replace(/sitemap\.xml\?part=(\d+)/g, "sitemap-$1.xml");
  }

  /** `_redirects` is for Netlify, Cloudflare Pages and others. Other hosts need the redirect pages. */
  async writeRedirects(): Promise<void> {
    for (const { former, slug } of listPreviousPaths(this.platen, this.blog)) {
      if (!former.startsWith("?")) await this.writeRedirect(former, slug);
      await this.writing.step();
    }
    const base = this.files.home.href;
    for (const { kind, slug } of findRows(this.platen, formerTopics, { blogId: this.blog.id })) {
      const response = await this.fetchPage(new Request(new URL(`${kind}/${slug}`, base)));
      const location = response.headers.get("location") ?? "";
      if (location.startsWith(base)) await this.writeRedirect(`${kind}/${slug}`, location.slice(base.length));
    }
    if (this.redirects.length > 0)
      await this.writing.out.text("_redirects", this.platen.now(), `${this.redirects.join("\n")}\n`);
  }

  private async writeRedirect(oldPath: string, currentPath: string): Promise<void> {
    const path = oldPath.split("/").map(encodeURIComponent).join("/");
    const file = safePath(/\.html?$/.test(path) ? path : `${path}/index.html`);
    const target = new URL(currentPath, this.files.home);
    const to = this.files.fileFor(target);
    if (file === null || to === null || this.ownFiles.has(file) || !this.isNew(file)) return;
    this.redirects.push(redirectLine(file, to));
    await tryOrReport(this.writing, oldPath, () =>
      this.writing.out.text(file, this.platen.now(), redirectPage(linkBetween(file, to), target.href)),
    );
  }
}

function searchOf({ searchParams }: URL): string {
  const query = [...searchParams].filter(([name]) => /^(?:page|komments|part|lang)$/.test(name));
  return query.length > 0 ? `?${new URLSearchParams(query)}` : "";
}

function redirectLine(file: string, to: string): string {
  const [from = "", currentPath = ""] = [file, to].map((path) =>
    `/${path.split("/").map(encodeURIComponent).join("/")}`.replace(/\/index\.html$/, "/"),
  );
  return `${from.replace(/\/$/, "")} ${currentPath} 301`;
}

function redirectPage(link: string, address: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="${address}">
<meta http-equiv="refresh" content="0; url=${link}">
</head>
<body><p>This page has moved <a href="${link}">here</a>.</p></body>
</html>
`.markup;
}
