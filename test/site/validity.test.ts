import { beforeAll, expect, test } from "bun:test";
import type { XmlElement } from "@rgrove/parse-xml";
import { HtmlValidate } from "html-validate/node";
import { mf2 } from "microformats-parser";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { openShowcase } from "../support/showcase";
import { childNamed, childrenNamed, textOf, xml } from "./xml";

/** Rules of HTML (html.spec.whatwg.org) and of screen readers, without matters of taste. */
const PAGES = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:document", "html-validate:a11y"],
  rules: {
    // Authors may use every heading in their texts.
    "heading-level": ["error", { allowMultipleH1: true }],
    // A button in a form has the type submit by default.
    "no-implicit-button-type": "off",
    // Needed only for scripts of other servers.
    "require-sri": "off",
  },
});
/** Pages add labels to checkboxes and players. */
const CONTENTS = new HtmlValidate({
  extends: ["html-validate:standard"],
  rules: { "input-missing-label": "off", "element-required-attributes": "off" },
});

type MicroformatRoot = ReturnType<typeof mf2>["items"][number];
type MicroformatProperty = MicroformatRoot["properties"][string][number];

/** Pages of one post, and lists; other pages have no microformats. */
const POST_PAGES = [
  "long",
  "code",
  "gallery",
  "arabic",
  "sampler",
  "reply",
  "checkin",
  "endless",
  "page",
  "share",
];
const LIST_PAGES = ["home", "older", "category", "tag", "search"];

interface SeenPage {
  theme: string;
  /** Content of the page, or its path. */
  name: string;
  address: string;
  text: string;
}

const pages: SeenPage[] = [];
const feeds: Record<string, SeenPage> = {};

beforeAll(async () => {
  const show = await openShowcase();
  const openPage = async (theme: string, name: string, path: string): Promise<SeenPage> => {
    const address = show.url + path;
    return { theme, name, address, text: await (await fetch(address)).text() };
  };
  for (const theme of THEME_NAMES) {
    show.set({ theme });
    for (const [name, path] of Object.entries(show.pages)) pages.push(await openPage(theme, name, path));
  }
  for (const [name, path] of Object.entries(await show.plainPages()))
    pages.push(await openPage("no theme", name, path));
  for (const path of ["/feed.xml", "/feed.atom", "/feed.json", "/sitemap.xml"])
    feeds[path] = await openPage("", path, path);
});

test("every page is valid HTML, in every theme", async () => {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { theme, name, text } of pages) {
    const page = text.replace(/\/assets\/[^"]+/g, "");
    // Often themes differ only in the URL of the stylesheet.
    if (seen.has(page)) continue;
    seen.add(page);
    for (const fault of await htmlFaults(PAGES, text)) faults.push(`${theme}, ${name}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

test("the HTML of posts in feeds is valid too", async () => {
  const faults: string[] = [];
  for (const { url, content_html } of JSON.parse(feeds["/feed.json"]?.text as string).items)
    for (const fault of await htmlFaults(CONTENTS, `<article>${content_html}</article>`))
      faults.push(`${url}: ${fault}`);
  expect(faults).toEqual([]);
});

test("microformats parsers find the same properties of a post in lists and on its page", () => {
  const faults: string[] = [];
  for (const theme of [...THEME_NAMES, "no theme"]) {
    const entries = new Map<string, MicroformatRoot>();
    const listed: MicroformatRoot[] = [];
    for (const { name, address, text } of pages.filter((page) => page.theme === theme)) {
      const { items } = mf2(text, { baseUrl: address });
      const expected = LIST_PAGES.includes(name) ? "h-feed" : POST_PAGES.includes(name) ? "h-entry" : "";
      const types = items.map(({ type }) => type).join();
      if (types !== expected) faults.push(`${theme}, ${name}: has "${types}" and not "${expected}"`);
      for (const fault of items.flatMap(itemFaults)) faults.push(`${theme}, ${name}: ${fault}`);
      for (const { properties } of items)
        for (const property of ["author", ...(name === "share" ? [] : ["url"])])
          if (expected === "h-entry" && !properties[property])
            faults.push(`${theme}, ${name}: has no ${property}`);
      for (const item of items)
        if (expected === "h-entry") entries.set(plain(item.properties.url?.[0]), item);
        else listed.push(...(item.children ?? []));
    }
    for (const { properties } of listed) {
      const url = plain(properties.url?.[0]);
      const own = entries.get(url);
      for (const [property, values] of Object.entries(properties))
        if (
          own &&
          !EXCERPTS.includes(property) &&
          !Bun.deepEquals(values.map(plain), own.properties[property]?.map(plain))
        )
          faults.push(`${theme}, ${url}: ${property} is another one in lists`);
    }
  }
  expect(faults).toEqual([]);
});

test("RSS meets RSS 2.0 and the needs of its readers", () => {
  const { text, address } = feeds["/feed.xml"] as SeenPage;
  const rss = xml(text);
  expect([rss.name, rss.attributes.version]).toEqual(["rss", "2.0"]);
  const channel = childNamed(rss, "channel");
  for (const name of ["title", "link", "description", "language", "lastBuildDate"])
    expect([name, textOf(channel, name)]).toEqual([name, expect.stringMatching(/\S/)]);
  expect(textOf(channel, "lastBuildDate")).toMatch(RFC_822);
  expect(childNamed(channel, "atom:link").attributes).toMatchObject({ rel: "self", href: address });
  const items = childrenNamed(channel, "item");
  expect(new Set(items.map((item) => textOf(item, "guid"))).size).toBe(items.length);
  for (const item of items) {
    const title = childrenNamed(item, "title")[0]?.text ?? textOf(item, "description");
    expect(title).toMatch(/\S/);
    expect([title, textOf(item, "link")]).toEqual([title, expect.stringMatching(ABSOLUTE)]);
    expect([title, textOf(item, "pubDate")]).toEqual([title, expect.stringMatching(RFC_822)]);
    expect([title, textOf(item, "dc:creator")]).toEqual([title, "Ada"]);
    expect([title, childrenNamed(item, "content:encoded").length]).toEqual([title, 1]);
  }
});

test("Atom meets RFC 4287", () => {
  const { text, address } = feeds["/feed.atom"] as SeenPage;
  const feed = xml(text);
  expect([feed.name, feed.attributes.xmlns]).toEqual(["feed", "http://www.w3.org/2005/Atom"]);
  expect(textOf(childNamed(feed, "author"), "name")).toBe("Ada");
  expect(linksOf(feed)).toEqual([`self ${address}`, `alternate ${new URL("/", address)}`]);
  const entries = childrenNamed(feed, "entry");
  for (const part of [feed, ...entries]) {
    const id = textOf(part, "id");
    expect(id).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    expect([id, textOf(part, "title")]).toEqual([id, expect.stringMatching(/\S/)]);
    expect([id, textOf(part, "updated")]).toEqual([id, expect.stringMatching(RFC_3339)]);
  }
  expect(new Set([feed, ...entries].map((part) => textOf(part, "id"))).size).toBe(entries.length + 1);
  for (const entry of entries) {
    const title = textOf(entry, "title");
    expect([title, textOf(entry, "published")]).toEqual([title, expect.stringMatching(RFC_3339)]);
    expect([title, linksOf(entry)]).toEqual([title, [expect.stringMatching(/^alternate http/)]]);
    expect([title, childNamed(entry, "content").attributes.type]).toEqual([title, "html"]);
    const terms = childrenNamed(entry, "category").map(({ attributes }) => attributes.term);
    expect([title, new Set(terms).size, terms.includes("")]).toEqual([title, terms.length, false]);
  }
});

test("JSON Feed meets version 1.1", () => {
  const { text, address } = feeds["/feed.json"] as SeenPage;
  const { items, ...feed } = JSON.parse(text);
  expect(feed).toMatchObject({
    version: "https://jsonfeed.org/version/1.1",
    title: "Slow Water",
    feed_url: address,
    home_page_url: `${new URL("/", address)}`,
    authors: [{ name: "Ada" }],
  });
  expect(new Set(items.map(({ id }: { id: string }) => id)).size).toBe(items.length);
  for (const item of items)
    expect(item).toMatchObject({
      id: expect.stringMatching(/\S/),
      url: expect.stringMatching(ABSOLUTE),
      content_html: expect.any(String),
      date_published: expect.stringMatching(RFC_3339),
      date_modified: expect.stringMatching(RFC_3339),
    });
});

test("the sitemap meets sitemaps.org", () => {
  const { text, address } = feeds["/sitemap.xml"] as SeenPage;
  const urls = childrenNamed(xml(text), "url");
  const places = urls.map((url) => textOf(url, "loc"));
  expect(new Set(places).size).toBe(places.length);
  for (const place of places) expect(place).toStartWith(`${new URL("/", address)}`);
  for (const change of urls.flatMap((url) => childrenNamed(url, "lastmod")))
    expect(change.text).toMatch(RFC_3339);
});

const ABSOLUTE = /^https?:\/\/[^\s"<>]+$/;
const RFC_822 = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function linksOf(part: XmlElement): string[] {
  return childrenNamed(part, "link").map(({ attributes: { rel, href } }) => `${rel} ${href}`);
}

async function htmlFaults(validator: HtmlValidate, text: string): Promise<string[]> {
  const { results } = await validator.validateString(text);
  const lines = text.split("\n");
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => {
      const place = lines[line - 1]?.slice(Math.max(0, column - 40), column + 80);
      return `${message} (${ruleId}) at ${place}`;
    }),
  );
}

/** Required properties of each kind of item; other kinds are not used. */
const REQUIRED_PROPERTIES: Record<string, string[]> = {
  "h-feed": ["name", "author"],
  "h-entry": [],
  "h-card": ["name"],
  "h-cite": ["url"],
  "h-geo": ["latitude", "longitude"],
};
const ADDRESSES = ["url", "uid", "photo", "featured", "video", "audio", "syndication", "in-reply-to"];
/** Properties that lists shorten. */
const EXCERPTS = ["summary", "content"];

function itemFaults(item: MicroformatRoot): string[] {
  const type = item.type?.join() ?? "";
  const missing = (REQUIRED_PROPERTIES[type] ?? ["a type that is known"]).filter(
    (name) => !item.properties[name],
  );
  const values = Object.entries(item.properties).flatMap(([property, values]) =>
    values.map((value) => ({ property, value })),
  );
  const isBad = ({ property, value }: { property: string; value: MicroformatProperty }) =>
    !/\S/.test(plain(value)) ||
    (ADDRESSES.includes(property) && !isItem(value) && !ABSOLUTE.test(plain(value)));
  return [
    ...missing.map((name) => `${type} without ${name}`),
    ...values.filter(isBad).map(({ property, value }) => `${type} with ${property} "${plain(value)}"`),
    ...values.flatMap(({ value }) => (isItem(value) ? itemFaults(value) : [])),
    ...(item.children ?? []).flatMap(itemFaults),
  ];
}

function isItem(value: MicroformatProperty): value is MicroformatRoot {
  return typeof value === "object" && "properties" in value;
}

/** A value as text. */
function plain(value: MicroformatProperty | undefined): string {
  if (typeof value === "object" && value.value !== undefined) return plain(value.value);
  return typeof value === "string" ? value : "";
}
