import { notFound } from "../../errors";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { BlogVisit } from "../layout/visit";
import { idIn } from "./library-query";

/** @throws Refusal (missing) if the blog has no such file */
export function fileOfBlog({ call, blog }: BlogVisit, id: string): StoredBlob {
  const file = blobWithId(call.platen, idIn(id) ?? 0);
  if (file?.blogId !== blog.id) throw notFound("file in this blog");
  return file;
}
