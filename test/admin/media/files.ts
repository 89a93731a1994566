import { blobs } from "../../../src/database/schema";
import { picture, uploadForm } from "../../support/pictures";
import { DAY } from "../../support/platen";
import type { Owned } from "../owner";

export const MEDIA = "/admin/blogs/ada/media";

/** Headers of forms from other sites. */
export const STRANGE: Record<string, string>[] = [{ origin: "https://evil.example" }, {}];

/** Uploads a picture by the API. @returns its HTML for a post */
export async function upload(owned: Owned, filename: string, fields: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${owned.key}` };
  const body = uploadForm(await picture(), filename, fields);
  const answer = await owned.fetch("/api/v1/attachments", { method: "POST", headers, body });
  const { attachment } = (await answer.json()) as { attachment: { html: string } };
  return attachment.html;
}

/** The row of a file, by its name. */
export function fileNamed(owned: Owned, filename: string) {
  const found = owned.platen.db
    .select()
    .from(blobs)
    .all()
    .find((file) => file.filename === filename);
  if (!found) throw new Error(`There is no ${filename}.`);
  return found;
}

/** Inserts rows without files, for large libraries. */
export function manyFiles(owned: Owned, count: number): void {
  const createdAt = new Date(owned.platen.now().getTime() - 2 * DAY);
  const row = { mediaType: "image", contentType: "image/jpeg", byteSize: 1, sha256: "" } as const;
  const rows = Array.from({ length: count }, (_, number) => ({
    ...row,
    blogId: owned.blog.id,
    folder: (number + 1).toString(16).padStart(32, "0"),
    filename: `${number + 1}.jpg`,
    createdAt,
  }));
  for (let at = 0; at < count; at += 500)
    owned.platen.db
      .insert(blobs)
      .values(rows.slice(at, at + 500))
      .run();
}

export async function write(owned: Owned, post: Record<string, unknown>) {
  return (await owned.api("POST", "/posts", { post })).body.post as { id: number; slug: string };
}

export async function read(owned: Owned, path: string): Promise<string> {
  const answer = await owned.browser.get(path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
}

/** Text of a page without markup. */
export const words = (page: string) => page.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");

/** Names on the tiles. */
export const namesOn = (page: string) =>
  [...page.matchAll(/<span class="name">([^<]*)</g)].map(([, name]) => name);

/** The post's alt text of each file. */
export async function altsOf(owned: Owned, id: number) {
  const { attachments } = (await owned.api("GET", `/posts/${id}`)).body.post;
  return Object.fromEntries(
    attachments.map(({ filename, alt }: { filename: string; alt: string }) => [filename, alt]),
  );
}
