import type { Blog } from "../../../blogs/blogs";
import type { messages } from "../../../database/schema";
import type { Komment } from "../../../komments/komment";
import type { StoredBlob } from "../../../media/files/blobs";
import { fileBytes } from "../../../media/store/reading-files";
import type { Platen } from "../../../platen";
import { chosenPage, homeCategory } from "../../../posts/linked/blog-home";
import { resolveNavigation } from "../../../posts/linked/navigation";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import { countLost, type ExportReport, orFault, passing, type Writing, writeLines } from "../export-blog";
import { countOthers, filesOf, messagesTo } from "./blog-rows";

export async function writeSettings(platen: Platen, blog: Blog, at: Date, { out }: Writing): Promise<void> {
  await out.text("blog.json", at, `${JSON.stringify(blogSettings(platen, blog), null, 2)}\n`);
}

export async function writeMessages(platen: Platen, blog: Blog, at: Date, writing: Writing): Promise<void> {
  const messages = messagesTo(platen, blog);
  writing.report.messages += await writeLines(writing, "messages.jsonl", at, messages, messageLine);
}

/** Pictures and films with a film's own picture, each at the paths that it is given. */
export async function writeMedia(
  platen: Platen,
  blog: Blog,
  writing: Writing,
  pathsOf: (file: StoredBlob) => { path: string; poster: string } = inOneFolder,
): Promise<void> {
  const { out, report } = writing;
  for await (const file of filesOf(platen, blog)) {
    const { path, poster } = pathsOf(file);
    await orFault(writing, file.filename, async () => {
      const bytes = await fileBytes(platen, file, file.filename);
      await out.bytes(path, file.createdAt, passing(writing, bytes));
      report.files++;
      if (file.hasPoster)
        await out.bytes(poster, file.createdAt, await fileBytes(platen, file, "poster.webp"));
    });
  }
}

function inOneFolder({ filename }: StoredBlob) {
  return { path: `media/${filename}`, poster: `media/posters/${filename}.webp` };
}

/** Counts what formats that others have made know nothing of. */
export function countLeftOut(platen: Platen, blog: Blog, report: ExportReport): void {
  const { komments, messages, revisions, inTrash } = countOthers(platen, blog);
  countLost(report, "komments", komments - report.komments);
  countLost(report, "former versions", revisions);
  countLost(report, "messages of contact forms", messages);
  countLost(report, "posts in the trash", inTrash);
  countLost(report, "links of the navigation", blog.navigation.length);
}

/** A komment as files have it: without the secret by which its writer could change it. */
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

/** @param message with the slug of the page it was written on */
export function messageLine(message: typeof messages.$inferSelect & { slug: string | null }) {
  const { name, address, text, createdAt, status, slug } = message;
  return { name, address, text, at: createdAt, status, page: slug ?? undefined };
}

/** What its owner has set of a blog, but for what is secret. Pages and categories are named by their addresses. */
export function blogSettings(platen: Platen, blog: Blog) {
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
    posts_a_page: blog.postsAPage,
    komments_open: blog.kommentsOpen,
    komments_moderated: blog.kommentsModerated,
    blocked: blog.blocked,
  };
}

/** "" for the newest posts. */
function homeAddress(platen: Platen, blog: Blog): string {
  const page = chosenPage(platen, blog);
  const category = homeCategory(platen, blog);
  return page ? `/${page.slug}` : category ? `/category/${category.slug}` : "";
}
