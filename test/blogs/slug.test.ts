import { describe, expect, test } from "bun:test";
import { freeSlug, isReserved, MAX_SLUG_LENGTH, type ReservedPath, slugify } from "../../src/blogs/slug";

describe("a slug", () => {
  test.each([
    ["Hello, World!", "hello-world"],
    ["Größe & Übermut", "grosse-ubermut"],
    ["Привет мир", "privet-mir"],
    ["東京タワー", "dong-jing-tawa"],
    ["Cafe\u0301", "cafe"],
    ["Don’t stop – don't!", "dont-stop-dont"],
    ["  --a__b--  ", "a-b"],
    ["../../etc/passwd", "etc-passwd"],
    ["!!! 😀", ""],
    ["", ""],
  ])("of %j is %j", (text, slug) => expect(slugify(text)).toBe(slug));

  test("of a long title ends between words; a requested one may be longer", () => {
    const title = "word ".repeat(100);
    expect(slugify(title)).toBe("word-".repeat(16).slice(0, -1));
    expect(slugify(title, MAX_SLUG_LENGTH).length).toBe(199);
    expect(slugify("x".repeat(500))).toBe("x".repeat(80));
  });
});

describe("finding a free slug", () => {
  const isOneOf =
    (...slugs: string[]) =>
    (slug: string) =>
      slugs.includes(slug);

  test("returns the requested slug, or the first free suffix", () => {
    expect(freeSlug("cat", isOneOf())).toBe("cat");
    expect(freeSlug("cat", isOneOf("cat", "cat-2"))).toBe("cat-3");
  });

  test("never returns a reserved path", () => {
    expect(isReserved("admin")).toBe(true);
    expect(isReserved("administration")).toBe(false);
    expect(freeSlug("feed", isOneOf())).toBe("feed-2");
    expect(freeSlug("feed", isOneOf("feed-2"))).toBe("feed-3");
  });

  test("the type of reserved paths rejects a path that a post can have", () => {
    // @ts-expect-error
    const paths: ReservedPath[] = ["/my-post"];
    expect(paths.map((path) => isReserved(path.slice(1)))).toEqual([false]);
  });

  test("stays within the maximum length", () => {
    const requested = "x".repeat(MAX_SLUG_LENGTH);
    expect(freeSlug(requested, isOneOf(requested))).toBe(`${"x".repeat(MAX_SLUG_LENGTH - 2)}-2`);
  });
});

test("a free suffix among ten thousand is found with fewer than 50 lookups", () => {
  const usedSlugs = new Set(["tea", ...Array.from({ length: 9_998 }, (_, at) => `tea-${at + 2}`)]);
  let lookups = 0;
  const slug = freeSlug("tea", (wish) => {
    lookups++;
    return usedSlugs.has(wish);
  });
  expect(slug).toBe("tea-10000");
  expect(lookups).toBeLessThan(50);
  usedSlugs.delete("tea-3");
  expect(freeSlug("tea", (wish) => usedSlugs.has(wish))).toBe("tea-3");
});
