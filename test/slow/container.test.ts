import { expect, test } from "bun:test";
import { chownSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtExecutable } from "../support/executable";
import { picture, uploadForm } from "../support/pictures";
import { runToEnd, startServer } from "../support/program";
import { temporaryFolder } from "../support/temporary";

const CONTAINERFILE = readFileSync(join(import.meta.dir, "../../packaging/Containerfile"), "utf8");
const directive = (pattern: RegExp) => pattern.exec(CONTAINERFILE)?.[1] ?? "";
const USER = directive(/^USER (\d+:\d+)$/m);
const VOLUME = directive(/^VOLUME (\S+)$/m);
const HEALTH = directive(/^HEALTHCHECK .*\\\n {2}CMD (.*)$/m);
const may = process.getuid?.() === 0 && ["unshare", "chroot", "setpriv"].every((name) => Bun.which(name));

/**
 * @returns a shell command that starts the executable like podman with the Containerfile: this machine's root,
 * read-only, its user, /tmp in memory, and a volume for the data. It uses its own mount namespace.
 * @param volume is mounted at /srv, because the read-only root cannot get new folders
 */
function containerCommand(executable: string, volume: string, words: string): string {
  const steps = [
    "mount --bind / /mnt && mount -o remount,bind,ro /mnt",
    "mount -t proc proc /mnt/proc && mount --rbind /dev /mnt/dev && mount -t tmpfs tmpfs /mnt/tmp",
    `mount --bind ${dirname(executable)} /mnt/opt && mount --bind ${volume} /mnt/srv`,
    `exec chroot --userspec=${USER} --groups= /mnt setpriv --no-new-privs /opt/platen ${words}`,
  ];
  return `exec unshare --mount sh -c '${steps.join(" && ")}'`;
}

test("the image runs the executable as its user with a volume, and prints its address", () => {
  // It needs the C library of the executable, and bash for the health check.
  expect(directive(/^FROM (\S+)$/m)).toMatch(/^debian:\w+-slim$/);
  expect(JSON.parse(directive(/^ENTRYPOINT (.*)$/m))).toEqual([directive(/^COPY platen (\S+)$/m)]);
  expect(JSON.parse(directive(/^CMD (.*)$/m))).toEqual(["serve"]);
  expect(directive(/^RUN (.*)$/m)).toBe(`mkdir --mode 0700 ${VOLUME} && chown ${USER} ${VOLUME}`);
  const port = directive(/^EXPOSE (\d+)$/m);
  expect(HEALTH).toContain(`/dev/tcp/127.0.0.1/${port} `);
  expect(CONTAINERFILE).toContain(`--publish 127.0.0.1:${port}:${port} `);
  expect(CONTAINERFILE).toContain("--read-only --tmpfs /tmp --cap-drop all ");
  // Requests come from outside the container.
  expect(directive(/^ENV .*PLATEN_HOST=(\S+)/m)).toBe("0.0.0.0");
});

test.skipIf(!may)(
  "in a container it runs without privileges, writes only to its volume, accepts a picture and is healthy",
  async () => {
    expect([VOLUME, directive(/^ENV PLATEN_DATA=(\S+)/m)]).toEqual(["/data", VOLUME]);
    const executable = await builtExecutable();
    const volume = temporaryFolder("volume");
    chownSync(volume, ...(USER.split(":").map(Number) as [number, number]));
    const env = { PLATEN_DATA: "/srv", PLATEN_HOST: directive(/^ENV .*PLATEN_HOST=(\S+)/m), HOME: "/" };
    const words = "setup --email ada@example.com --title Ada";
    const setUp = await runToEnd(["sh", "-c", containerCommand(executable, volume, words)], { env });
    expect([setUp.code, setUp.stderr]).toEqual([0, ""]);
    const line = containerCommand(executable, volume, "serve");
    await using server = await startServer({ shell: { line, cwd: "/" }, env });
    const port = new URL(server.url).port;
    const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);

    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(USER.split(":")[0] as string);
    expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toMatch(/^0+$/);

    const headers = { authorization: `Bearer ${setUp.stdout.trim()}` };
    const body = uploadForm(await picture(900, 600), "cat.jpg");
    const sent = await ask("/api/v1/attachments", { method: "POST", headers, body });
    expect(sent.status).toBe(201);
    const { html } = (await sent.json()).attachment;
    const made = await ask("/api/v1/posts", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ post: { title: "Contained", slug: "in", status: "published", content: html } }),
    });
    expect(made.status).toBe(201);
    const [, smaller = ""] = /<img[^>]* srcset="([^" ]+)/.exec(await (await ask("/in")).text()) ?? [];
    const shown = await ask(new URL(smaller, server.url).pathname);
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/webp"]);
    expect(readdirSync(volume)).toContain("platen.db");

    const [program = "", ...args] = JSON.parse(HEALTH) as string[];
    const isHealthy = (at: number | string | undefined = port) =>
      runToEnd([program, ...args.map((arg) => arg.replace("/4000", `/${at}`))]);
    expect((await isHealthy()).code).toBe(0);
    // Alive but not ready.
    const statusAt = (url: string) => (url.endsWith("/readyz") ? 503 : 200);
    using ill = Bun.serve({ port: 0, fetch: ({ url }) => new Response("", { status: statusAt(url) }) });
    expect((await isHealthy(ill.port)).code).not.toBe(0);
    expect(await server.stop()).toBe(0);
    expect((await isHealthy()).code).not.toBe(0);
  },
);
