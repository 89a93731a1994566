import { dirname, join, relative, sep } from "node:path";
import { Glob } from "bun";

export const CHECKOUT = join(import.meta.dir, "../..");
const SOURCE = join(CHECKOUT, "src");

/** Source files: path in `src`, and top-level folder or file. */
export const files = [...new Glob("**/*.ts").scanSync(SOURCE)].map((path) => ({ path, top: topOf(path) }));

/** @returns import specifiers of a file */
export async function importsOf(path: string): Promise<string[]> {
  const source = await Bun.file(join(SOURCE, path)).text();
  return [...source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string);
}

/** @returns paths in `src` of files that a file imports */
export async function ownImportsOf(path: string): Promise<string[]> {
  const own = (await importsOf(path)).filter((target) => target.startsWith("."));
  return own
    .map((target) => relative(SOURCE, join(SOURCE, dirname(path), target)))
    .filter((target) => !target.startsWith(".."));
}

const transpiler = new Bun.Transpiler({ loader: "ts" });

/** @returns all static imports of a file, recursively, without types */
export async function loadedWith(path: string, loaded = new Set<string>()): Promise<Set<string>> {
  const source = await Bun.file(join(SOURCE, path)).text();
  for (const { kind, path: target } of transpiler.scanImports(source)) {
    const name = target.startsWith(".") ? `${join(dirname(path), target)}.ts` : target;
    if (kind !== "import-statement" || loaded.has(name)) continue;
    loaded.add(name);
    if (files.some((file) => file.path === name)) await loadedWith(name, loaded);
  }
  return loaded;
}

/** "posts/writing/saving.ts" → "posts", "app.ts" → "app" */
export function topOf(path: string): string {
  return (path.split(sep)[0] as string).replace(/\.ts$/, "");
}
