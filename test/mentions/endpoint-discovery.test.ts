import { expect, test } from "bun:test";
import { findEndpoint } from "../../src/mentions/mention-and-endpoint-parsing";

const PAGE = "https://site.example/posts/one";
const ENDPOINT = "https://site.example/webmention";

/** The discovery cases of webmention.rocks. Case 23, a redirect, is in sending.test.ts. */
const CASES: [name: string, header: string | null, html: string, endpoint?: string][] = [
  ["1 relative Link header", "</webmention>; rel=webmention", ""],
  ["2 absolute Link header", `<${ENDPOINT}>; rel=webmention`, ""],
  ["3 relative link element", null, '<link rel="webmention" href="/webmention">'],
  ["4 absolute link element", null, `<link rel="webmention" href="${ENDPOINT}">`],
  ["5 relative a element", null, '<a rel="webmention" href="/webmention">here</a>'],
  ["6 absolute a element", null, `<a rel="webmention" href="${ENDPOINT}">here</a>`],
  ["7 odd case in the header", "</webmention>; REL=WebMention", ""],
  ["8 quoted rel", '</webmention>; rel="webmention"', ""],
  ["9 several words in rel of a link", null, '<link rel="webmention somethingelse" href="/webmention">'],
  ["10 several words in rel of the header", '</webmention>; rel="somethingelse webmention"', ""],
  [
    "11 the header comes before elements",
    "</webmention>; rel=webmention",
    '<link rel=webmention href="/no">',
  ],
  [
    "12 rel must be equal",
    null,
    '<link rel="not-webmention" href="/no"><a rel="webmention" href="/webmention">a</a>',
  ],
  [
    "13 a comment is no link",
    null,
    '<!-- <a rel="webmention" href="/no"> --><a rel=webmention href="/webmention">',
  ],
  [
    "14 escaped HTML is no link",
    null,
    '<code>&lt;a href="/no" rel="webmention"&gt;</code><a rel=webmention href="/webmention">',
  ],
  ["15 an empty address is the page", null, '<link rel="webmention" href="">', PAGE],
  ["16 a before link", null, '<a rel=webmention href="/webmention">a</a><link rel=webmention href="/no">'],
  ["17 link before a", null, '<link rel=webmention href="/webmention"><a rel=webmention href="/no">a</a>'],
  ["18 several headers", '</other>; rel="other", </webmention>; rel="webmention"', ""],
  ["19 one header with several values", "</other>; rel=other; title=x, </webmention>; rel=webmention", ""],
  [
    "20 a link without an address",
    null,
    '<link rel="webmention"><a href="/webmention" rel="webmention">a</a>',
  ],
  ["21 a query", "</webmention?head=true>; rel=webmention", "", `${ENDPOINT}?head=true`],
  ["22 relative to the path", null, '<a rel="webmention" href="one/webmention">', `${PAGE}/webmention`],
];

for (const [name, header, html, endpoint = ENDPOINT] of CASES)
  test(`the endpoint of webmention.rocks' case ${name} is found`, () => {
    expect(findEndpoint(header, html, PAGE)).toBe(endpoint);
  });

test("a page without an endpoint, a malformed header or another scheme has none", () => {
  expect(findEndpoint(null, "<p>webmention</p>", PAGE)).toBeNull();
  expect(findEndpoint("<no end; rel=webmention", "", PAGE)).toBeNull();
  expect(findEndpoint("</webmention>; title=rel", "", PAGE)).toBeNull();
  expect(findEndpoint(null, '<a rel="webmention" href="javascript:x()">', PAGE)).toBeNull();
  expect(findEndpoint(null, '<base href="https://other.example/a/"><a rel=webmention href="w">', PAGE)).toBe(
    "https://other.example/a/w",
  );
});
