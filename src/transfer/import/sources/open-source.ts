import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { fileSource, folderSource } from "./folder-source";
import { type Source, SourceFault } from "./source";
import { zipSource } from "./zip-source";

/** A folder, a ZIP archive whatever its name, or a file by itself. @throws SourceFault */
export async function openSource(path: string): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new SourceFault(`There is no ${path}.`);
  if (found.isDirectory()) return await folderSource(path);
  if (!found.isFile()) throw new SourceFault(`${path} is neither a file nor a folder.`);
  return (await isZip(path)) ? await zipSource(path) : fileSource(path);
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("latin1").startsWith("PK");
  } finally {
    await file.close();
  }
}
