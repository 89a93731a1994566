import { MEGABYTE, SECOND } from "../../config/units";
import { fetchFile } from "../../media/fetching-remote-files";
import { guardedClient } from "../../outgoing/guarded-client";
import { firstBytes, type HttpResponse } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import { oneLine } from "../../text/clean-text";
import { parseJsonObject } from "../../text/json";
import { parseWebUrl } from "../../text/web-urls";
import { JobLimitExceeded, workerQueues } from "../../worker-queue";
import { type Author, renderingQueue } from "../post/post";
import type { PageHead, parseLinkHtml } from "./link-card-metadata";
import { excerpt } from "./plain-text-and-excerpts";

const FETCH_TIMEOUT_MS = 5 * SECOND;
const PARSE_TIMEOUT_MS = SECOND;
const MAX_PAGE_BYTES = MEGABYTE;
const MAX_PICTURE_BYTES = 5 * MEGABYTE;
const MAX_REDIRECTS = 3;
const MAX_CHARACTERS = { title: 200, description: 300, site: 60 };

/**
 * @param address an http(s) URL
 * @returns null if the page cannot be read or has no title
 * @throws Refusal (busy)
 */
export async function fetchLinkDetails(by: Fetching, blog: { id: number }, address: string) {
  const head = (await videoHead(by, address)) ?? (await pageHead(by, address));
  const title = head && excerpt(oneLine(head.title), MAX_CHARACTERS.title);
  if (!head || !title) return null;
  const site = oneLine(head.site) || new URL(address).hostname.replace(/^www\./, "");
  return {
    title,
    description: excerpt(oneLine(head.description), MAX_CHARACTERS.description),
    site: excerpt(site, MAX_CHARACTERS.site),
    picture: await firstPicture(by, blog, picturesOf(head, address)),
  };
}

interface Fetching {
  platen: Platen;
  author: Author;
  /** Allows private addresses that the operator permits. */
  isForAdmin: boolean;
}

/** oEmbed endpoints, because YouTube's pages show a consent form instead of metadata in some countries. */
const VIDEO_ENDPOINTS: [host: RegExp, endpoint: string][] = [
  [/^(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)$/, "https://www.youtube.com/oembed?format=json&url="],
  [/^(?:www\.)?vimeo\.com$/, "https://vimeo.com/api/oembed.json?width=1280&url="],
];

async function videoHead(by: Fetching, address: string): Promise<PageHead | null> {
  const { hostname } = new URL(address);
  const [, endpoint] = VIDEO_ENDPOINTS.find(([host]) => host.test(hostname)) ?? [];
  if (!endpoint) return null;
  const response = await fetchPage(by, endpoint + encodeURIComponent(address), "application/json");
  if (!response) return null;
  const fields = parseJsonObject(await textOf(response)) ?? {};
  const word = (name: string) => (typeof fields[name] === "string" ? fields[name] : "");
  const [title, site, picture] = [word("title"), word("provider_name"), word("thumbnail_url")];
  return { title, description: "", site, picture };
}

async function pageHead(by: Fetching, address: string): Promise<PageHead | null> {
  const response = await fetchPage(by, address, "text/html");
  if (!response) return null;
  const page = await textOf(response);
  const cost = { within: PARSE_TIMEOUT_MS, characters: page.length, source: renderingQueue(by.author) };
  try {
    const head = await workerQueues.authors.run<typeof parseLinkHtml>("parseLinkHtml", cost, page);
    // Relative picture URLs refer to the page after redirects.
    const picture = head.picture && parseWebUrl(head.picture, { base: response.url })?.href;
    return { ...head, picture: picture ?? "" };
  } catch (error) {
    if (error instanceof JobLimitExceeded) return null;
    throw error;
  }
}

async function fetchPage({ platen, isForAdmin }: Fetching, url: string, type: string) {
  const result = await guardedClient(platen.config).send({
    url,
    headers: { accept: type },
    within: FETCH_TIMEOUT_MS,
    isForAdmin,
    redirects: MAX_REDIRECTS,
  });
  if ("failed" in result) {
    // The reason goes to the log only: authors must not be able to probe the internal network.
    platen.log(`The page at ${URL.parse(url)?.host} could not be fetched for a card: ${result.failed}`);
    return null;
  }
  if (result.statusCode === 200 && (result.headers["content-type"] ?? "").startsWith(type)) return result;
  result.close();
  return null;
}

async function textOf(response: HttpResponse): Promise<string> {
  const bytes = await firstBytes(response, MAX_PAGE_BYTES);
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const [, charset = "utf-8"] =
    /charset=["']?([\w-]{1,40})/i.exec(`${response.headers["content-type"]} ${start}`) ?? [];
  try {
    return new TextDecoder(charset as "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** YouTube's metadata names a small picture with black bars. A few videos lack the large one. */
function picturesOf({ picture }: PageHead, address: string): string[] {
  const url = parseWebUrl(picture, { base: address });
  if (!url) return [];
  const isSmall = url.hostname === "i.ytimg.com" && url.href.includes("/hqdefault.");
  return isSmall ? [url.href.replace("/hqdefault.", "/maxresdefault."), url.href] : [url.href];
}

async function firstPicture({ platen, isForAdmin }: Fetching, blog: { id: number }, addresses: string[]) {
  const options = { isForAdmin, within: FETCH_TIMEOUT_MS, maxBytes: MAX_PICTURE_BYTES };
  for (const address of addresses) {
    const picture = await fetchFile(platen, blog, address, options);
    if (!("failed" in picture) && picture.mediaType === "image") return picture;
  }
  return null;
}
