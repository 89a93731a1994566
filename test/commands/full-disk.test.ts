import { afterEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, runPlaten, startServer } from "../support/program";

/** A small disk of its own, where root may make one. */
function smallDisk(): string | null {
  const folder = freshFolder();
  mkdirSync(folder);
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", folder]);
  if (mounted.exitCode !== 0) return null;
  disks.push(folder);
  return folder;
}
const disks: string[] = [];
afterEach(() => {
  for (const disk of disks.splice(0)) Bun.spawnSync(["umount", "-l", disk]);
});

const canMount = (() => {
  const disk = process.getuid?.() === 0 ? smallDisk() : null;
  if (disk) Bun.spawnSync(["umount", "-l", disk]);
  return disk !== null;
})();

function fill(disk: string): void {
  try {
    writeFileSync(join(disk, "fill"), Buffer.alloc(64 * 1_048_576));
  } catch {
    // As much of it as there was room for.
  }
}

test.skipIf(!canMount)(
  "on a full disk it serves what is there, says why nothing can be written, and stops with 0",
  async () => {
    const disk = smallDisk() as string;
    const data = join(disk, "data");
    const key = (
      await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"])
    ).stdout.trim();
    const create = (url: string, title: string) =>
      fetch(`${url}/api/v1/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ post: { title, status: "published", content: "x".repeat(100_000) } }),
      });
    {
      await using server = await startServer({ data });
      expect((await create(server.url, "One")).status).toBe(201);
      writeFileSync(join(data, ".reserve"), Buffer.alloc(8 * 1_048_576));
      fill(disk);
      expect((await create(server.url, "Two")).status).toBe(507);
      expect((await fetch(`${server.url}/one`)).status).toBe(200);
      expect(await server.stop()).toBe(0);
    }
    // As in a copy, or after the machine's start: the log has to be looked into anew, which takes room.
    rmSync(join(data, "platen.db-shm"), { force: true });
    fill(disk);
    await using again = await startServer({ data });
    expect(again.stderr()).toContain("8 MB that Platen had kept back are free now");
    expect((await fetch(`${again.url}/one`)).status).toBe(200);
    expect((await fetch(`${again.url}/two`)).status).toBe(404);
    expect((await create(again.url, "Three")).status).toBe(201);
  },
);
