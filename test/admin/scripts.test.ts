import { expect, test } from "bun:test";
import { ENTRY_POINTS } from "../../src/owner/scripts/entry-points";
import { scriptTag } from "../../src/owner/scripts/script-routes";
import { startPlaten } from "../support/platen";

test("each admin script is one immutable file with a hashed name", async () => {
  const { fetch } = startPlaten();
  const [, path = ""] = /src="([^"]+)"/.exec((await scriptTag("frame")).markup) ?? [];
  expect(path).toMatch(/^\/assets\/admin\/frame\.[0-9a-f]{12}\.js$/);
  const answer = await fetch(path, { headers: { "accept-encoding": "gzip" } });
  const { headers } = answer;
  expect([answer.status, headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(await answer.text()).not.toMatch(/\bimport\b|sourceMappingURL/);
});

test("a URL of an earlier release returns the current script without caching; an unknown script 404", async () => {
  const { fetch } = startPlaten();
  for (const name of Object.keys(ENTRY_POINTS)) {
    const { status, headers } = await fetch(`/assets/admin/${name}.0123.js`);
    expect([status, headers.get("cache-control")]).toEqual([200, "public, no-cache"]);
  }
  for (const name of ["nothing.0123.js", "constructor.0123.js", "frame.js", "frame.0123.css"])
    expect((await fetch(`/assets/admin/${name}`)).status).toBe(404);
});
