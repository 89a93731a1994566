import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const CHECKOUT = join(import.meta.dir, "../..");
export const EXECUTABLE = join(CHECKOUT, "dist/platen");
const MADE_FROM = ["src", "migrations", "packaging", "package.json", "bun.lock"];

let building: Promise<string> | null = null;

/** @returns path of `dist/platen`, built once per test run if its sources are newer */
export function builtExecutable(): Promise<string> {
  building ??= isExecutableCurrent() ? Promise.resolve(EXECUTABLE) : build();
  return building;
}

export function isExecutableCurrent(): boolean {
  const built = statSync(EXECUTABLE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return filesOf(MADE_FROM).every((file) => statSync(file).mtimeMs < built);
}

function filesOf(names: string[]): string[] {
  return names.flatMap((name) => {
    const path = join(CHECKOUT, name);
    if (statSync(path).isFile()) return [path];
    // Folders too: a deleted file changes only the time of its folder.
    return [
      path,
      ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((below) => join(path, below)),
    ];
  });
}

async function build(): Promise<string> {
  const run = Bun.spawn([process.execPath, "packaging/build.ts"], {
    cwd: CHECKOUT,
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await run.exited) !== 0) throw new Error(await new Response(run.stderr).text());
  return EXECUTABLE;
}
