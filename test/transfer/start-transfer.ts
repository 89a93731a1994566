import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Blog } from "../../src/blogs/blogs";
import { storeServerSettings } from "../../src/commands/shell/data-folder";
import type { Platen } from "../../src/platen";
import { IMPORT_FORMATS } from "../../src/transfer/import/formats/format-list";
import type { ImportFormat } from "../../src/transfer/import/items/imported-item";
import type { ImportRow } from "../../src/transfer/import/run/import-records";
import type { ImportReport } from "../../src/transfer/import/run/import-report";
import { importItems } from "../../src/transfer/import/run/preview-and-import";
import { openSource } from "../../src/transfer/import/sources/zip-and-folder-sources";
import { callPlaten } from "../support/command";
import { picture } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";
import type { CommandResult } from "../support/program";
import { temporaryFolder } from "../support/temporary";

export const FIXTURES = join(import.meta.dir, "../fixtures/imports");

/** A served Platen with one blog, "garden". Commands run in this process, with the real time. */
export async function startTransfer(
  { zone, at = startPlaten({}, { title: "Garden" }) } = {} as { zone?: string; at?: TestPlaten },
) {
  const server = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => at.fetch(request.url, request),
  });
  const { origin: url } = server.url;
  Object.assign(at.platen, { now: () => new Date() });
  Object.assign(at.platen.config, { url });
  storeServerSettings(at.platen);
  const { data } = at.platen.config;
  const platen = (...args: string[]): Promise<CommandResult> =>
    callPlaten(args, { env: { PLATEN_DATA: data } });
  if (zone) await platen("blog", "set", "garden", "--time-zone", zone);
  const api = async (path: string, method = "GET", body?: unknown) =>
    (await at.api(method, path, body)).body || null;
  return {
    ...{ at, data, platen, api, url, key: at.key },
    /** Runs `import FORMAT PATH --blog garden …`. */
    importFrom: (format: string, path: string, ...options: string[]) =>
      platen("import", format, path, "--blog", "garden", ...options),
    /** All posts and pages with their source, by slug. */
    async posts() {
      const { posts } = await api("/posts?status=all&limit=100&include_content=true&include_source=true");
      // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
      return Object.fromEntries(posts.map((post: any) => [post.slug, post]));
    },
    page: (path: string) => fetch(url + path, { redirect: "manual" }),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A folder with copies of a fixture's files, if given, and these files. */
export async function createFolder(
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

/** Imports a fixture, or another folder, without a command, for tests about something else. */
export async function importFixture(
  platen: Platen,
  blog: Blog,
  format: string,
  fixture: string,
  onProgress: (report: ImportReport) => void = () => {},
): Promise<ImportRow> {
  const source = await openSource(resolve(FIXTURES, fixture));
  const known = IMPORT_FORMATS.find(({ name }) => name === format) as ImportFormat;
  const places = { source, media: null, mayFetch: false, site: null, isPartial: false };
  const { run } = await importItems(platen, { ...places, blog, format: known, onProgress });
  return run as ImportRow;
}
