import { BuildError } from "./build-error";

export interface Target {
  readonly name: Bun.Build.CompileTarget;
  readonly os: string;
  readonly cpu: string;
  readonly platform: string;
  /** null if no Debian package is made. */
  readonly debian: string | null;
}

const DEBIAN: Partial<Record<Bun.Build.CompileTarget, string>> = {
  "bun-linux-x64": "amd64",
  "bun-linux-x64-baseline": "amd64",
  "bun-linux-arm64": "arm64",
};

export const TARGETS = [
  "bun-linux-x64",
  "bun-linux-x64-baseline",
  "bun-linux-arm64",
  "bun-darwin-arm64",
] as const;

export function targetNamed(wanted: string): Target {
  const name = TARGETS.find((target) => target === wanted);
  if (!name) throw new BuildError(`Unknown target "${wanted}". Use one of ${TARGETS.join(", ")}.`, 2);
  const [, os = "", cpu = ""] = name.split("-");
  return { name, os, cpu, platform: `${os}-${cpu}`, debian: DEBIAN[name] ?? null };
}

export function thisMachine(): Target {
  return targetNamed(`bun-${process.platform}-${process.arch}`);
}
