/** Microformats of pages, read with the parser that other sites use. */
import { describe, expect, test } from "bun:test";
import { mf2 } from "microformats-parser";
import { picture } from "../support/pictures";
import { type Endpoint, startEndpoint } from "./endpoint";

/** The h-entry of the page of a post with these properties. */
async function entryOf(properties: Record<string, unknown>, at = startEndpoint()) {
  const { location } = await at.create(properties);
  return entryAt(at, location);
}

async function entryAt(at: Endpoint, url: string) {
  const { items } = mf2(await at.page(url), { baseUrl: url });
  const entry = items.find(({ type }) => type?.includes("h-entry"));
  // biome-ignore lint/suspicious/noExplicitAny: what is parsed is what the tests are about
  return entry?.properties as Record<string, any>;
}

const CITE = {
  type: ["h-cite"],
  properties: { name: ["A fine post"], url: ["https://example.org/post"], author: ["Eve"] },
};

test.each([
  ["in-reply-to", "In reply to"],
  ["like-of", "Liked"],
  ["repost-of", "Reposted"],
  ["bookmark-of", "Bookmarked"],
])("%s is a link with its microformat, from a URL and from an h-cite", async (property, words) => {
  const at = startEndpoint();
  const plain = await at.create({ [property]: ["https://example.org/post"] });
  expect((await entryAt(at, plain.location))[property]).toEqual(["https://example.org/post"]);
  expect(await at.page(plain.location)).toContain(`<p>${words} <a class="u-${property}"`);
  const cited = await at.create({ [property]: [CITE], content: ["Yes"] });
  const entry = await entryAt(at, cited.location);
  expect(entry[property][0]).toMatchObject({
    type: ["h-cite"],
    properties: { name: ["A fine post"], url: ["https://example.org/post"] },
  });
  expect(entry.content[0].value).toBe("Yes");
});

test("a note has no name; an article has one", async () => {
  expect(await entryOf({ content: ["Just words"] })).not.toHaveProperty("name");
  expect((await entryOf({ name: ["Title"], content: ["Words"] })).name).toEqual(["Title"]);
});

test("RSVP, check-in, place, summary and people have their microformats", async () => {
  const bob = { type: ["h-card"], properties: { name: ["Bob"], url: ["https://bob.example/"] } };
  const entry = await entryOf({
    "in-reply-to": ["https://example.org/party"],
    rsvp: ["maybe"],
    checkin: [{ type: ["h-card"], properties: { name: ["Café"], url: ["https://cafe.example/"] } }],
    location: ["geo:51.25,3.5;name=Home"],
    summary: ["In short"],
    category: ["party", bob],
    syndication: ["https://elsewhere.example/1"],
  });
  expect(entry).toMatchObject({
    rsvp: ["maybe"],
    checkin: [{ type: ["h-card"], properties: { name: ["Café"] } }],
    location: [{ type: ["h-geo"], properties: { latitude: ["51.25"], longitude: ["3.5"] } }],
    summary: ["In short"],
    syndication: ["https://elsewhere.example/1"],
  });
  expect(entry.category).toContain("party");
  expect(entry.category).toContainEqual(expect.objectContaining({ type: ["h-card"] }));
});

test("photos have their alt text, also those of other sites", async () => {
  const at = startEndpoint();
  const file = new File([await picture()], "cat.jpg");
  const { location } = await at.multipart([["file", file]], "/micropub/media");
  const photo = [
    { value: location, alt: "A cat" },
    { value: "http://10.0.0.5/x.jpg", alt: "Far" },
  ];
  const entry = await entryOf({ content: ["Look"], photo }, at);
  expect(entry.photo).toContainEqual({ value: location, alt: "A cat" });
  expect(entry.photo).toContainEqual({ value: "http://10.0.0.5/x.jpg", alt: "Far" });
});

test("the home page has microformats of notes and likes too", async () => {
  const at = startEndpoint();
  await at.create({ "like-of": ["https://example.org/post"] });
  expect(await at.page("http://blog.test/")).toContain('class="u-like-of" href="https://example.org/post"');
});

describe("a page contains no markup from properties", () => {
  const evil = '"><script>alert(1)</script>';
  test.each([
    ["text", evil],
    ["a URL", "javascript:alert(1)"],
    ["a data URL", "data:text/html,<script>alert(1)</script>"],
    ["a name", { type: ["h-cite"], properties: { name: [evil], url: ["javascript:alert(1)"] } }],
    ["a value", { value: evil, alt: evil }],
    ["a number", 7],
    ["nested lists", [[[]]]],
    ["an odd object", { properties: { name: { a: 1 }, url: [{ b: 2 }] } }],
    ["properties that are null", { type: ["h-card"], properties: null }],
  ])("%s", async (_what, value) => {
    const at = startEndpoint();
    const names = [
      "in-reply-to",
      "like-of",
      "checkin",
      "location",
      "rsvp",
      "summary",
      "photo",
      "video",
      "audio",
      "category",
      "syndication",
    ];
    const all = Object.fromEntries(names.map((name) => [name, [value]]));
    const { status, location } = await at.create({ name: ["Title"], ...all });
    expect(status).toBe(201);
    const page = await at.page(location);
    expect(page).not.toContain("<script>alert");
    expect(page).not.toMatch(/(href|src)="(javascript|data):/);
    expect(at.log).toEqual([]);
  });
});

test("every public page links to the Micropub and sign-in endpoints in head and headers", async () => {
  const at = startEndpoint();
  at.newBlog({ slug: "garden" });
  const { location } = await at.create({ content: ["Hi"] });
  const endpoints = {
    micropub: ["http://blog.test/micropub"],
    "indieauth-metadata": ["http://blog.test/.well-known/oauth-authorization-server"],
    authorization_endpoint: ["http://blog.test/auth"],
    token_endpoint: ["http://blog.test/auth/token"],
  };
  for (const url of ["http://blog.test/", location, "http://blog.test/@garden/"])
    for (const method of ["GET", "HEAD"]) {
      const response = await at.fetch(url, { method });
      const header = response.headers.get("link") as string;
      const links = header.split(",").map((link) => link.split(";").map((part) => part.trim()));
      expect(Object.fromEntries(links.map(([to, rel]) => [rel?.slice(5, -1), [to?.slice(1, -1)]]))).toEqual(
        endpoints,
      );
      expect(response.headers.get("access-control-expose-headers")).toBe("Link");
      if (method === "GET")
        expect(mf2(await response.text(), { baseUrl: url }).rels).toMatchObject(endpoints);
    }
});
