import type { Blog } from "../../../blogs/blogs";
import type { messages } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";
import type { StoredBlob } from "../../../media/files/blobs";
import { fileBytes } from "../../../media/store/reading-files";
import type { Platen } from "../../../platen";
import { chosenPage, homeCategory } from "../../../posts/linked/link-targets";
import { resolveNavigation } from "../../../posts/linked/navigation";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import {
  countUnsupported,
  type ExportContext,
  type ExportReport,
  writeJsonLines,
  writeOrReport,
} from "../export-blog";
import { countHistory, listFiles, listMessages } from "./blog-rows";

export async function writeSettingsFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  { out }: ExportContext,
): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(settingsJson(platen, blog), null, 2)}\n`);
}

export async function writeMessagesFile(
  platen: Platen,
  blog: Blog,
  at: Date,
  writing: ExportContext,
): Promise<void> {
  const lines = listMessages(platen, blog).map(messageLine);
  writing.report.messages += await writeJsonLines(writing, "messages.jsonl", at, lines);
}

export async function writeMediaFiles(
  platen: Platen,
  blog: Blog,
  writing: ExportContext,
  pathsOf: (file: StoredBlob) => { path: string; poster: string } = inOneFolder,
): Promise<void> {
  const { out, report } = writing;
  for (const file of listFiles(platen, blog)) {
    const { path, poster } = pathsOf(file);
    await writeOrReport(writing, file.filename, async () => {
      await out.bytes(path, file.createdAt, await fileBytes(platen, file, file.filename));
      report.files++;
      if (file.hasPoster)
        await out.bytes(poster, file.createdAt, await fileBytes(platen, file, "poster.webp"));
    });
    await writing.step();
  }
}

function inOneFolder({ filename }: StoredBlob) {
  return { path: `media/${filename}`, poster: `media/posters/${filename}.webp` };
}

/** Counts content that other programs' formats do not support. */
export function countUnsupportedParts(platen: Platen, blog: Blog, report: ExportReport): void {
  const { komments, messages, revisions, inTrash } = countHistory(platen, blog);
  countUnsupported(report, "komments", komments - report.komments);
  countUnsupported(report, "previous versions", revisions);
  countUnsupported(report, "contact form messages", messages);
  countUnsupported(report, "posts in the trash", inTrash);
  countUnsupported(report, "navigation links", blog.navigation.length);
}

/** Formats a komment without the secret for editing it. */
export function kommentLine({
  name,
  address,
  source,
  status,
  createdAt,
  editedAt,
  answer,
  answeredAt,
}: Komment) {
  return {
    ...{ name, address, text: source, status, at: createdAt, edited_at: editedAt ?? undefined },
    answer: answer === null ? undefined : { text: answer, at: answeredAt },
  };
}

function messageLine(message: typeof messages.$inferSelect & { slug: string | null }) {
  const { name, address, text, createdAt, status, slug } = message;
  return { name, address, text, at: createdAt, status, page: slug ?? undefined };
}

/** Blog settings without secrets. Pages and categories are referenced by URL, not by id. */
function settingsJson(platen: Platen, blog: Blog) {
  return {
    title: blog.title,
    slug: blog.slug,
    domain: blog.domain,
    description: blog.description,
    language: blog.language,
    time_zone: blog.timeZone,
    theme: blog.theme,
    accent: blog.accent,
    header: insertBaseUrl(blog.headerHtml, platen.config.url),
    footer: insertBaseUrl(blog.footerHtml, platen.config.url),
    css: blog.cssSource ?? (blog.customCss || null),
    profiles: blog.profiles,
    home: homeAddress(platen, blog),
    navigation: resolveNavigation(platen, blog).map(({ link, address }) => ({
      label: link.label,
      to: address,
    })),
    design: blog.design,
    posts_a_page: blog.postsAPage,
    feed_content: blog.feedContent,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    blocked: blog.blocked,
  };
}

/** "" if the home page shows the newest posts. */
function homeAddress(platen: Platen, blog: Blog): string {
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return page ? `/${page.slug}` : category ? `/category/${category.slug}` : "";
}
