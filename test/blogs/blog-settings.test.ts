import { expect, test } from "bun:test";
import { type BlogChanges, configureBlog } from "../../src/blogs/blog-settings";
import { blogById } from "../../src/blogs/blogs";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { startPlaten } from "../support/platen";

const set = (changes: BlogChanges) => {
  const at = startPlaten();
  return configureBlog(at.platen, at.blog, changes);
};

test("only the given settings change", () => {
  const { blog } = set({ theme: "photo", accent: "#8A3B12", language: "pt-br", timeZone: "Europe/Lisbon" });
  expect(blog).toMatchObject({
    theme: "photo",
    accent: "#8A3B12",
    language: "pt-BR",
    timeZone: "Europe/Lisbon",
    title: "Ada's Blog",
    customCss: "",
  });
});

test("a color may have three digits, and a language any case or three letters", () => {
  expect(set({ accent: "#aB3", language: "GSW-ch" }).blog).toMatchObject({
    accent: "#aaBB33",
    language: "gsw-CH",
  });
});

const NAMES = THEME_NAMES.join(", ");
const FAULTS: [changes: BlogChanges, fault: string][] = [
  [{ title: " " }, "title must not be empty"],
  [{ theme: "brutal" }, `theme must be one of ${NAMES}`],
  [{ accent: "red" }, "accent must be a color like #8a3b12"],
  [{ accent: "#ffff" }, "accent must be a color like #8a3b12"],
  [{ language: "" }, "language must be a language tag like en or pt-BR"],
  [{ language: "english please" }, "language must be a language tag like en or pt-BR"],
  [{ language: "german" }, "language must be a language tag like en or pt-BR"],
  [{ language: "xx" }, "language must be a language tag like en or pt-BR"],
  [{ language: "en_US" }, "language must be a language tag like en or pt-BR"],
  [{ timeZone: "Mars/Olympus" }, "time_zone must be a name like Europe/Berlin"],
  [{ header: "x".repeat(10_001) }, "header must be at most 10000 characters"],
  [{ css: "a".repeat(100_001) }, "css must be at most 100000 characters"],
  [{ postsAPage: 0 }, "posts_a_page must be a number from 1 to 100"],
  [{ postsAPage: 2.5 }, "posts_a_page must be a number from 1 to 100"],
  [{ postsAPage: Number.NaN }, "posts_a_page must be a number from 1 to 100"],
  [
    { profiles: ["\uFEFFjavascript:alert(1)"] },
    "profiles must be addresses that begin with https:// or mailto:",
  ],
  [{ profiles: ["javascript:alert(1)"] }, "profiles must be addresses that begin with https:// or mailto:"],
];

for (const [changes, fault] of FAULTS)
  test(`a setting is rejected: ${fault} (${JSON.stringify(changes).slice(0, 40)})`, () => {
    expect(() => set(changes)).toThrow(fault);
  });

test("one error changes nothing, and all errors are reported", () => {
  const at = startPlaten();
  const change = () => configureBlog(at.platen, at.blog, { title: "New", accent: "x", theme: "y" });
  expect(change).toThrow(`theme must be one of ${NAMES}; accent must be a color like #8a3b12.`);
  expect(blogById(at.platen, at.blog.id)?.title).toBe("Ada's Blog");
});

test("header and footer may contain text, links and the blog's pictures, and are balanced", () => {
  const { blog, leftOut } = set({
    header:
      '<nav><a href="/about" onclick="x()">About</a><script>x()</script><script>y()</script><style>a{}</style><div>open',
    footer:
      '<p style="color:red">By <a href="javascript:x()">me</a> <img src="https://elsewhere.example/p.gif"><img src="/media/A/b.png"><b>bold',
  });
  expect(blog.headerHtml).toBe('<nav><a href="/about">About</a>open</nav>');
  expect(blog.footerHtml).toBe('<p>By <a>me</a> <img src="/media/A/b.png" alt="" /><b>bold</b></p>');
  expect(leftOut).toEqual({
    header: [
      "Elements that a header cannot contain were removed: script (2), style (1), div (1).",
      "Attributes that a header cannot contain were removed: onclick (1).",
    ],
    footer: [
      "Elements that a footer cannot contain were removed: img (1).",
      "Attributes that a footer cannot contain were removed: href (1).",
      "Pictures must be uploads of this Platen: /media/…",
    ],
  });
});

test("a header accepts pictures with the URL that uploads return", () => {
  const { blog, leftOut } = set({ header: '<img src="http://blog.test/media/A/b.png" alt="Hat">' });
  expect(blog.headerHtml).toBe('<img src="/media/A/b.png" alt="Hat" />');
  expect(leftOut).toEqual({});
});
