import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configureBlog } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { DAY, HOUR } from "../../config/units";
import { writeKomment } from "../../komments/writing-komments";
import type { Platen } from "../../platen";
import { markdownToHtml } from "../../posts/content/markdown";
import { postAtSlug } from "../../posts/reading/finding-posts";
import { newSecret } from "../../secrets";
import type { ThemeName } from "../../themes/theme-list";
import { markdown } from "../../transfer/import/formats/markdown";
import { importItems } from "../../transfer/import/run/import-run";
import { openSource } from "../../transfer/import/sources/zip-and-folder-sources";
import { PICTURES, paintPicture } from "./pictures";
import posts from "./posts.md" with { type: "text" };

/** Name of the post that is imported as Markdown. The others are imported as HTML, for the rich editor. */
const IN_MARKDOWN = "queue";

const KOMMENTS: [name: string, text: string][] = [
  ["Jun", "The same here in the strait: the table says 14:10, the water says *later*."],
  [
    "Tove",
    "The pilot book of 1911 has a whole page on that sill:\n\n> Vessels waiting should lie to the east of the perch.",
  ],
];

export async function fillDemoBlog(platen: Platen, blog: Blog, theme: ThemeName): Promise<void> {
  configureBlog(platen, blog, {
    title: "Slow Water",
    description: "Walks, small programs and things seen from the ferry.",
    footer: "<p>Words and pictures by Ada.</p>",
    navigation: [
      { label: "Walks", address: "/category/walks" },
      { label: "Archive", address: "/archive" },
      { label: "About", address: "/about" },
    ],
    theme,
  });
  const folder = mkdtempSync(join(tmpdir(), "platen-demo-posts-"));
  try {
    for (const post of posts.split(/^=== /m).slice(1)) {
      const [name = ""] = post.split("\n", 1);
      const dated = withDate(post.slice(name.length + 1), platen.now());
      if (name === IN_MARKDOWN) await Bun.write(join(folder, `${name}.md`), dated);
      else await Bun.write(join(folder, `${name}.html`), asHtml(dated));
    }
    for (const name of PICTURES)
      await Bun.write(join(folder, `pictures/${name}.jpg`), await paintPicture(name, platen.config.data));
    using source = await openSource(folder);
    const input = { blog, format: markdown, source, media: null, site: null };
    const options = { mayFetch: false, isForAuthor: false, isPartial: false, onProgress() {} };
    await importItems(platen, { ...input, ...options });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const post = postAtSlug(platen, blog, "tide-tables");
  for (const [name, text] of KOMMENTS)
    if (post) await writeKomment(platen, post, { name, address: "", text }, newSecret());
}

function asHtml(text: string): string {
  const start = text.indexOf("\n---\n") + "\n---\n".length;
  return text.slice(0, start) + markdownToHtml(text.slice(start), { isPlain: false });
}

/** Replaces the front matter line `days: 3` with the date of about three days ago. */
function withDate(text: string, now: Date): string {
  return text.replace(/^days: (\d+)$/m, (_, days) => {
    const time = now.getTime() - Number(days) * DAY - (Number(days) % 7) * HOUR;
    return `date: ${new Date(time).toISOString()}`;
  });
}
