import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Blog } from "../../src/blogs/blogs";
import type { Platen } from "../../src/platen";
import type { ImportFormat } from "../../src/transfer/import/formats/format";
import { IMPORT_FORMATS } from "../../src/transfer/import/formats/formats";
import type { ImportRow } from "../../src/transfer/import/run/import-records";
import { importItems } from "../../src/transfer/import/run/import-run";
import { openSource } from "../../src/transfer/import/sources/open-source";
import { picture } from "../support/pictures";
import { type Ended, freshFolder, runPlaten, startServer } from "../support/program";
import { temporaryFolder } from "../support/temporary";

export const FIXTURES = join(import.meta.dir, "../fixtures/imports");

/** A served Platen with one blog, "garden", into which things are moved by commands, as they are typed. */
export async function startMoving({ zone }: { zone?: string } = {}) {
  const data = freshFolder();
  const platen = (...args: string[]): Promise<Ended> => runPlaten(args, { env: { PLATEN_DATA: data } });
  const { stdout: key } = await platen("setup", "--email", "ada@example.com", "--title", "Garden");
  if (zone) await platen("blog", "set", "garden", "--time-zone", zone);
  const server = await startServer({ data });
  const headers = { authorization: `Bearer ${key.trim()}`, "content-type": "application/json" };
  const api = async (path: string, method = "GET", body?: unknown) => {
    const sent = { method, headers, body: body ? JSON.stringify(body) : undefined };
    const answer = await fetch(`${server.url}/api/v1${path}`, sent);
    return answer.status === 204 ? null : await answer.json();
  };
  return {
    ...{ data, platen, api, url: server.url, key: key.trim() },
    /** `import FORMAT PATH --blog garden …` */
    bring: (format: string, path: string, ...options: string[]) =>
      platen("import", format, path, "--blog", "garden", ...options),
    /** Every post and page, whatever its state, with its source; by slug. */
    async posts() {
      const { posts } = await api("/posts?status=all&limit=100&include_content=true&include_source=true");
      // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
      return Object.fromEntries(posts.map((post: any) => [post.slug, post]));
    },
    page: (path: string) => fetch(server.url + path, { redirect: "manual" }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A folder with copies of a fixture's files, or of nothing, and these besides. */
export async function folderWith(
  fixture: string | null,
  files: Record<string, string | Uint8Array> = {},
): Promise<string> {
  const folder = temporaryFolder("moving");
  if (fixture) cpSync(join(FIXTURES, fixture), folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

export const jpeg = () => picture(90, 60);
export const png = () => picture(30, 20, "png");

/** The posts of a fixture, or of another folder, in the blog, without a program of its own, for tests about something else. */
export async function bringInto(
  platen: Platen,
  blog: Blog,
  format: string,
  fixture: string,
): Promise<ImportRow> {
  const source = await openSource(resolve(FIXTURES, fixture));
  const known = IMPORT_FORMATS.find(({ name }) => name === format) as ImportFormat;
  const places = { source, media: null, mayFetch: false, site: null, isPartial: false };
  const { run } = await importItems(platen, { ...places, blog, format: known, onProgress: () => {} });
  return run as ImportRow;
}
