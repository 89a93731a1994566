import { asc, eq } from "drizzle-orm";
import type { Blog } from "../../../blogs/blogs";
import { blobs } from "../../../database/schema";
import type { StoredBlob } from "../../../media/files/blobs";
import { fileBytes } from "../../../media/files/media-store";
import type { Platen } from "../../../platen";
import { type ExportContext, tryOrReport } from "../export-blog";

export async function writeMediaFiles(context: ExportContext, pathsOf = inOneFolder): Promise<void> {
  const { platen, blog, out, report } = context;
  for (const file of listFiles(platen, blog)) {
    const { path, poster } = pathsOf(file);
    await tryOrReport(context, file.filename, async () => {
      await out.bytes(path, file.createdAt, await fileBytes(platen, file, file.filename));
      report.files++;
      if (file.hasPoster)
        await out.bytes(poster, file.createdAt, await fileBytes(platen, file, "poster.webp"));
    });
    await context.step();
  }
}

function inOneFolder({ filename }: StoredBlob) {
  return { path: `media/${filename}`, poster: `media/posters/${filename}.webp` };
}

export function listFiles({ db }: Platen, blog: Blog): StoredBlob[] {
  return db.select().from(blobs).where(eq(blobs.blogId, blog.id)).orderBy(asc(blobs.id)).all();
}
