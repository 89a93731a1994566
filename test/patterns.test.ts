import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "acorn";
import { costOf } from "./support/pattern-cost";
import { CHECKOUT, files } from "./support/source";

const IN_IMPORT = "of an export by this server's own user, in a process of its own";

/** Patterns that look superlinear, each with the reason why they are not. */
const SAFE_BECAUSE: Record<string, string> = {
  "http/requests/client-address.ts /^\\[(.+)\\](:\\d+)?$/":
    "begins in one place, and what follows the bracket is digits",
  'indieauth/client-metadata.ts /\\brel ?= ?"?(?:[\\w-]+ )*redirect_uri\\b/i':
    "a space ends each word; of an app's Link header, 4,000 characters",
  "posts/content/plain-text-and-excerpts.ts /\\s+\\S*$/": "of an excerpt, in which spaces are single",
  "posts/content/plain-text-and-excerpts.ts /[\\s.,;:\\u00B7\\u2013\\u2014-]+$/":
    "of an excerpt, a few hundred characters",
  'posts/content/highlighting.ts /(<pre[^>]*>\\s*<code class="language-([\\w+#.-]+)">)([\\s\\S]*?)(?=<\\/code>)/g':
    "of sanitised HTML, in which `<` begins a tag and every element is closed",
  "text/web-urls.ts /<[a-z][^\\s>]*\\s[^>]+>/g": "of sanitised HTML, in which `<` begins a tag that ends",
  'site/images/post-images.ts /<figure class="attachment attachment-image"[^>]*>(<img[^>]*>)(<figcaption>[^<]*<\\/figcaption>)?<\\/figure>/':
    "of HTML as we have written it: each figure ends",
  'site/images/post-images.ts /<figure class="attachment attachment-image"([^>]*)>(<img[^>]*>)/g':
    "of HTML as we have written it: each figure ends",
  'admin/layout/diffs.ts /<iframe\\b[^>]*?\\ssrc="([^"]*)"[^>]*><\\/iframe>/g':
    "of sanitized HTML, in which each tag ends",
  "admin/layout/diffs.ts /<[^>]*>|\\s+|&[^;\\s]+;|[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]|[\\p{L}\\p{M}\\p{N}_]+|[^\\s<]/gu":
    "of sanitized HTML, in which each tag and each reference ends",
  "mail/mail-address.ts /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/":
    "of an address of at most 254 characters; a dot ends each word",
  "site/styles/stylesheets-and-accent.ts /\\/\\*.*?\\*\\/\\s*/gs": "of the stylesheets in this repository",
  "transfer/import/markdown/template-tags.ts /^([^#]*)(.*)$/s":
    "begins in one place, and fits whatever follows",
  "transfer/import/markdown/front-matter.ts /(?:export default|module\\.exports =)\\s*(\\{[\\s\\S]*\\})/":
    "of settings, 50,000 characters",
  "transfer/import/markdown/front-matter.ts /^[ \\t]*(?:(?:export )?(?:const|let|var) )?[\"']?([\\w$]{1,100})[\"']?[ \\t]*[:=][ \\t]*(\\[[^\\]]*\\]|\\{[^{}]*\\}|[^\\n]*?)[,;]?[ \\t]*(?:\\/\\/[^\\n]*)?$/gm":
    "of settings, 50,000 characters",
  "transfer/import/items/markdown-content.ts /^[ \\t]*(```|~~~)[\\s\\S]*?(?:^[ \\t]*\\1|(?![\\s\\S]))|(?<!\\\\)`[^`\\n]*`/gm":
    IN_IMPORT,
  "transfer/import/markdown/obsidian.ts /^[ \\t]*(```|~~~)[\\s\\S]*?(?:^[ \\t]*\\1|(?![\\s\\S]))|`[^`\\n]*`|(?<!\\S)%%[\\s\\S]*?%%/gm":
    IN_IMPORT,
  "transfer/import/markdown/static-sites-and-permalinks.ts /^[^/\\n]*\\.setInputDirectory\\(\\s*[\"'`]([^\"'`]{1,300})[\"'`]/m":
    IN_IMPORT,
  "transfer/import/markdown/static-sites-and-permalinks.ts /^[^/\\n]*\\bdir[\"']?\\s*:\\s*(\\{[^{}]*\\})/m":
    IN_IMPORT,
  "transfer/import/wordpress/shortcodes.ts /(?<!\\[)\\[([a-z][\\w-]{1,60})(?=[\\s\\]/=])([^\\]]{0,2000})\\](?:((?:(?!\\[\\1[\\s\\]])[\\s\\S])*?)\\[\\/\\1\\])?/gi":
    IN_IMPORT,
  "transfer/import/formats/medium.ts /^(?:(?:.*\\/)?posts\\/)?(?:draft|\\d{4}-\\d\\d-\\d\\d)_[^/]*\\.html$/":
    "begins in one place; behind each `posts/` it goes no further than to the next slash",
};

/** Patterns built at run time, by file, and why each is safe. */
const MADE_SAFELY: Record<string, string> = {
  "fediverse/signatures.ts": "the name of a parameter, then a quoted value without quotes in it",
  "http/router.ts": "a route's own path, from its beginning, segments apart",
  "media/files/media-urls.ts": "from the name of a folder to the end of a file name",
  "posts/content/attachment-figures.ts": "of sanitised HTML, in which `<` begins a tag that ends",
  "posts/content/plain-text-and-excerpts.ts":
    "names of elements, each in one place; characters from the beginning on",
  "posts/content/highlighting.ts": "a number of characters, no more and no fewer",
  "posts/post/mf2-properties.ts": "from its beginning, segments apart",
  "posts/storage/full-text-search.ts": "runs of characters, and white space after one character",
  "site/images/post-images.ts": "figures as we have written them, side by side",
  "site/serving/site-routes.ts": "a page's own path, from its beginning, segments apart",
  "transfer/export/exported-posts-and-media.ts": "a number between two marks",
  "transfer/import/markdown/template-tags.ts": "one of three names, between marks and a few spaces",
  "transfer/import/wordpress/wordpress-content.ts": "names of elements",
};

/** Browser code only reads its own user's text. */
const filesOfServer = files.filter(({ path }) => !path.includes("/browser/"));

const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun" });

interface Pattern {
  pattern: string;
  flags: string;
}

async function patternsIn(path: string): Promise<Pattern[]> {
  const source = transpiler.transformSync(await Bun.file(join(CHECKOUT, "src", path)).text());
  const found: Pattern[] = [];
  parse(source, {
    ecmaVersion: "latest",
    sourceType: "module",
    onToken: (token) => {
      if (token.type.label === "regexp") found.push((token as unknown as { value: Pattern }).value);
    },
  });
  return found;
}

test("every pattern takes linear time or has a reason in the list", async () => {
  const costly: string[] = [];
  for (const { path } of filesOfServer)
    for (const { pattern, flags } of await patternsIn(path))
      if (costOf(pattern, flags)) costly.push(`${path} /${pattern}/${flags}`);
  expect(costly.sort()).toEqual(Object.keys(SAFE_BECAUSE).sort());
});

test("patterns built at run time have a reason in the list", async () => {
  const made: string[] = [];
  for (const { path } of filesOfServer)
    if (/\bRegExp\(/.test(await Bun.file(join(CHECKOUT, "src", path)).text())) made.push(path);
  expect(made.sort()).toEqual(Object.keys(MADE_SAFELY).sort());
});

test.each([
  [/\s+$/, "restarted"],
  [/\/+$/, "restarted"],
  [/<[^>]+>/, "restarted"],
  [/\s*;\s*q=/, "restarted"],
  [/^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/, "adjacent"],
  [/^([^[\]]+)(?:\[\d*\])?(?:\[([^[\]]*[^[\]\d][^[\]]*)\])?(?:\[\])?$/, "adjacent"],
  [/^\s*a?\s*b/, "adjacent"],
  [/^(?:a|b\w*)\w+$/, "adjacent"],
  [/^(a+)+$/, "nested"],
  [/^(?:\w+\s?)*$/, "nested"],
  [/^a{2,}a{3,}$/, "adjacent"],
  [/\s+/g, null],
  [/^\s+/, null],
  [/^\/@([^/]+)(\/.*)?$/, null],
  [/;\s*boundary=("[^"]+"|[^\s";]+)/i, null],
  [/\d{1,15}$/, null],
  [/^[\w-]+\.[\w-]+$/, null],
])("the pattern %p has the cost %p", (pattern, cost) => {
  expect(costOf(pattern.source, pattern.flags)).toBe(cost);
});
