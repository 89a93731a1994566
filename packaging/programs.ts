import { BuildError } from "./build-error";

export async function packTarball(file: string, folder: string, path: string): Promise<void> {
  const owner = ["--owner=root:0", "--group=root:0"];
  const reproducible = ["--sort=name", ...owner, "--mtime=2026-01-01T00:00Z"];
  await runProgram(["tar", ...reproducible, "-czf", file, "-C", folder, path]);
}

/** @throws BuildError if the program is missing or fails */
export async function runProgram(command: [program: string, ...args: string[]]): Promise<void> {
  const [program] = command;
  if (!Bun.which(program)) throw new BuildError(`${program} is missing; install it first.`);
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const stderr = (await new Response(child.stderr).text()).trim();
  if ((await child.exited) !== 0) throw new BuildError(`${program} failed: ${stderr.split("\n")[0]}`);
}
