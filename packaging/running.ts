import { BuildFault } from "./fault";

/** The same files make the same tarball. */
export async function packTarball(file: string, folder: string, path: string): Promise<void> {
  const owner = ["--owner=root:0", "--group=root:0"];
  const sameEverywhere = ["--sort=name", ...owner, "--mtime=2026-01-01T00:00Z"];
  await run(["tar", ...sameEverywhere, "-czf", file, "-C", folder, path]);
}

/** Runs a program of the machine. @throws BuildFault with what it complained about, or where it is not there */
export async function run(command: [program: string, ...args: string[]]): Promise<void> {
  const [program] = command;
  if (!Bun.which(program)) throw new BuildFault(`${program} is needed here; install it first.`);
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const complaint = (await new Response(child.stderr).text()).trim();
  if ((await child.exited) !== 0) throw new BuildFault(`${program} failed: ${complaint.split("\n")[0]}`);
}
