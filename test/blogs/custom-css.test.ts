import { expect, test } from "bun:test";
import { cleanCss } from "../../src/blogs/custom-css";

test("CSS without requests to other servers stays unchanged", () => {
  for (const css of [
    "body{font-family:Georgia,serif}",
    '@media (min-width:30em){.prose h2::before{content:"§ "}}',
    ".site{background:url(/media/Abc123/sea.jpg)}",
    "a{--mark:url(data:image/png;base64,AAAA)}",
    '@supports (display:grid){main{display:grid;grid-template:"a b"1fr/auto}}',
    ".h-feed{& article:has(img){color:red}}",
    "@keyframes glow{from{opacity:0}to{opacity:1}}",
  ])
    expect(cleanCss(css)).toEqual({ css, warnings: [] });
});

/** CSS that would request another server or run a program, in every notation. */
const REFUSED: [what: string, css: string][] = [
  ["an imported stylesheet", "@import 'https://elsewhere.example/x.css';"],
  ["an imported stylesheet with an escaped keyword", "@\\69mport url(https://elsewhere.example/x.css);"],
  ["an imported stylesheet inside a block", "@media print{@import url(//elsewhere.example)}"],
  ["a picture", "a{background:url(https://elsewhere.example/x.png)}"],
  ["a picture in capitals and quotes", "a{background:URL( 'https://elsewhere.example/x.png' )}"],
  ["a picture with an escaped function", "a{background:\\75rl(https://elsewhere.example/x.png)}"],
  ["a picture without a scheme", "a{list-style:url(//elsewhere.example/x.png)}"],
  ["a picture with an escaped URL", "a{background:url(\\68ttps://elsewhere.example/x.png)}"],
  ["a picture in a variable", "a{--x:url(https://elsewhere.example/x.png);color:var(--x)}"],
  ["a set of pictures", "a{background:image-set('https://elsewhere.example/x.png' 1x)}"],
  ["a set of pictures with a prefix", "a{background:-webkit-image-set('//elsewhere.example' 1x)}"],
  ["src()", "a{background:src('https://elsewhere.example/x.png')}"],
  ["a font", "@font-face{font-family:x;src:url(https://elsewhere.example/x.woff2)}"],
  ["a script in expression()", "a{width:expression(fetch('https://elsewhere.example'))}"],
  ["a script in behavior", "a{behavior:url(elsewhere.htc)}"],
  ["HTML", "</style><script src=https://elsewhere.example></script>a{color:red}"],
];

for (const [what, css] of REFUSED)
  test(`CSS must not contain ${what}; the warning names the line`, () => {
    const cleaned = cleanCss(`b{color:blue}\n${css}`);
    expect(cleaned.css).not.toMatch(/elsewhere|script/);
    expect(cleaned.css).toStartWith("b{color:blue}");
    expect(cleaned.warnings.join()).toStartWith("Line 2 was removed: ");
  });

test("an unreadable rule is removed, the others stay, and open blocks are closed", () => {
  expect(cleanCss("a{color:red;b}c{color:blue}").css).toBe("a{color:red}c{color:blue}");
  expect(cleanCss("a}b{color:red}c{color:blue}").css).toBe("c{color:blue}");
  expect(cleanCss("@media print{a{color:red").css).toBe("@media print{a{color:red}}");
});

test("deeply nested input is read to its end", () => {
  for (const piece of [
    "a{",
    "(",
    ":is(",
    "[",
    "@media(",
    "a{--x:{",
    "a{b:url(",
    "@media x{",
    "@media x{)",
    "@page{",
  ])
    expect(cleanCss(piece.repeat(100_000 / piece.length)).css).not.toContain("url");
});

test("CSS that is nested too deeply, or follows too much invalid input, is removed with a warning", () => {
  const good = "a{color:red}";
  const deep = cleanCss(`${good}\n${"@media x{".repeat(200)}b{color:blue}`);
  expect(deep.css).toStartWith(good);
  expect(deep.css).not.toContain("blue");
  expect(deep.warnings).toContainEqual(
    "Everything from line 2 on was removed: it is nested deeper than 100 blocks and brackets.",
  );
  const nested = `${"@media x{".repeat(50)}b{color:blue}${"}".repeat(50)}`;
  expect(cleanCss(nested.repeat(20))).toEqual({ css: nested.repeat(20), warnings: [] });

  const broken = cleanCss(`${good}\n${"{}\n".repeat(501)}b{color:blue}`);
  expect(broken.css).toBe(good);
  expect(broken.warnings).toContainEqual(
    "Everything from line 502 on was removed: more than 500 passages are not valid CSS.",
  );
  expect(cleanCss(`${"{}\n".repeat(500)}b{color:blue}`).css).toBe("b{color:blue}");
});
