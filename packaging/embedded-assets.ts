import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { bundleScript } from "../src/owner/scripts/bundling";
import { ENTRY_POINTS, type ScriptName } from "../src/owner/scripts/entry-points";
import type { NativeLibrary } from "../src/runtime/embedded-files";
import { finishedDatabase } from "./finished-database";
import type { Target } from "./targets";
import { gatherNotices } from "./third-party-notices";

const LIBRARY = /\/@img\/sharp-[^/]*\/lib\/(?:[^/]*\.node|libvips-cpp\.[^/]*)$/;
const SHARP_LOADER = join(import.meta.dir, "../src/media/decoder/sharp.ts");

/** The bundler cannot resolve the addon of sharp, which needs libvips in a file next to it. */
export async function embeddedAssets(target: Target, modules: string): Promise<BunPlugin> {
  const replaced: [RegExp, string][] = [
    [/\/src\/commands\/third-party-notices\.ts$/, noticesModule(gatherNotices(modules))],
    [/\/src\/owner\/scripts\/bundling\.ts$/, SCRIPTS_MODULE],
    [/\/src\/runtime\/embedded-files\.ts$/, await embeddedFilesModule(librariesOf(target, modules))],
    [/\/sharp\/dist\/sharp\.mjs$/, addonModule()],
  ];
  // The scripts are bundled first, because a bundler cannot run inside another.
  const scripts = new Map<string, string>();
  for (const name of SCRIPT_NAMES) scripts.set(`script:${name}`, await bundleScript(name));
  return {
    name: "embedded-assets",
    setup(build) {
      for (const [filter, contents] of replaced) build.onLoad({ filter }, () => ({ contents, loader: "js" }));
      build.onResolve({ filter: DATABASE }, ({ path }) => ({ path, namespace: "virtual" }));
      build.onLoad({ filter: DATABASE, namespace: "virtual" }, () => ({
        contents: finishedDatabase(),
        loader: "file",
      }));
      build.onResolve({ filter: SCRIPT }, ({ path }) => ({ path, namespace: "script" }));
      build.onLoad({ filter: SCRIPT, namespace: "script" }, ({ path }) => ({
        contents: scripts.get(path) as string,
        loader: "file",
      }));
      // Compression saves 11 MB. Platen unpacks the library once per version.
      build.onLoad({ filter: LIBRARY }, async ({ path }) => ({
        contents: await Bun.zstdCompress(await Bun.file(path).bytes(), { level: 12 }),
        loader: "file",
      }));
    },
  };
}

function noticesModule(notices: string): string {
  return `export const thirdPartyNotices = async () => ${JSON.stringify(notices)};`;
}

/** Each script is a file of its own. As strings, all scripts would be loaded at each start. */
const SCRIPT = /^script:/;
const SCRIPT_NAMES = Object.keys(ENTRY_POINTS) as ScriptName[];
const SCRIPTS_MODULE = `${SCRIPT_NAMES.map((name, i) => `import file${i} from "script:${name}" with { type: "file" };`).join("\n")}
const files = { ${SCRIPT_NAMES.map((name, i) => `"${name}": file${i}`).join(", ")} };
export const bundleScript = (name) => Bun.file(files[name]).text();`;

const DATABASE = /^finished\.db$/;

interface Library {
  /** Relative to the folder where libraries are unpacked. */
  path: string;
  file: string;
}

function librariesOf({ platform }: Target, modules: string): Library[] {
  return [`sharp-${platform}/lib`, `sharp-libvips-${platform}/lib`].flatMap((folder) =>
    readdirSync(join(modules, "@img", folder))
      .map((name) => ({ path: `${folder}/${name}`, file: join(modules, "@img", folder, name) }))
      .filter(({ file }) => LIBRARY.test(file)),
  );
}

async function embeddedFilesModule(libraries: Library[]): Promise<string> {
  const imports = libraries.map(
    ({ file }, i) => `import file${i} from ${JSON.stringify(file)} with { type: "file" };`,
  );
  const nativeLibraries = await Promise.all(
    libraries.map(async ({ path, file }, i) => {
      const sha256 = createHash("sha256")
        .update(await Bun.file(file).bytes())
        .digest("hex");
      const native: Omit<NativeLibrary, "embeddedPath"> = { path, sha256 };
      return `{ ...${JSON.stringify(native)}, embeddedPath: file${i} }`;
    }),
  );
  return `import databaseTemplate from "finished.db" with { type: "file" };
    ${imports.join("\n")}
    export { databaseTemplate };
    export const nativeLibraries = [${nativeLibraries.join(", ")}];`;
}

function addonModule(): string {
  return `
    import { addonPath } from ${JSON.stringify(SHARP_LOADER)};
    const addon = { exports: {} };
    process.dlopen(addon, addonPath());
    export default addon.exports;
  `;
}
