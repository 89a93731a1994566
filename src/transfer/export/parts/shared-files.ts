import type { Blog } from "../../../blogs/blogs";
import type { StoredBlob } from "../../../media/files/blobs";
import { fileBytes } from "../../../media/store/reading-files";
import type { Platen } from "../../../platen";
import { orFault, passing, type Writing, writeLines } from "../exporting";
import { blogSettings } from "../reading/blog-settings-file";
import { messageLine } from "../reading/komment-and-message-lines";
import { filesOf, messagesTo } from "../reading/whole-blog";

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
