import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../package.json";
import { type Ended, freshFolder, runToEnd, startServer } from "./support/program";

setDefaultTimeout(900_000);

const CHECKOUT = join(import.meta.dir, "..");
const RELEASE = join(CHECKOUT, "dist/release");
const NAME = `platen-${manifest.version}`;
/** Where Debian's libc6-arm64-cross puts the other machine's libraries; the emulator is told so. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const env = { QEMU_LD_PREFIX: LIBRARIES };
const emulates = existsSync(LIBRARIES) && existsSync("/proc/sys/fs/binfmt_misc/qemu-aarch64");

let made: Ended;
/** Bun for the other machine comes from the package registry, which a machine need not reach. */
let isOutOfReach = false;

beforeAll(async () => {
  const command = [process.execPath, "packaging/release.ts", "--target", "bun-linux-arm64"];
  const ended = await runToEnd(command, { cwd: CHECKOUT });
  made = { ...ended, stderr: withoutProgress(ended.stderr) };
  isOutOfReach = made.code !== 0 && /fetch|download|registry|network/i.test(made.stderr);
  if (isOutOfReach) console.log(`Not tested: the release. ${made.stderr.trim()}`);
});

test("a release is a tarball, a Debian package and a list of what is inside, each with its checksum", async () => {
  if (isOutOfReach) return;
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const checked = await runToEnd(["sha256sum", "--check", "SHA256SUMS"], { cwd: RELEASE });
  expect(checked.stdout.trimEnd().split("\n")).toEqual([
    `${NAME}-linux-arm64.tar.gz: OK`,
    `${NAME}.cdx.json: OK`,
    `platen_${manifest.version}_arm64.deb: OK`,
  ]);
  const files = (await runToEnd(["tar", "-tzf", join(RELEASE, `${NAME}-linux-arm64.tar.gz`)])).stdout.split(
    "\n",
  );
  const beside = ["install.sh", "platen.service", "Containerfile", "Caddyfile.example", "docs/running.md"];
  for (const file of ["platen", "LICENSE", ...beside]) expect(files).toContain(`${NAME}-linux-arm64/${file}`);
  const inside = await Bun.file(join(RELEASE, `${NAME}.cdx.json`)).json();
  const names = inside.components.map((one: { name: string }) => one.name);
  for (const name of [...Object.keys(manifest.dependencies), "bun", "@img/sharp-libvips-linux-arm64"])
    expect(names).toContain(name);
});

/** Where fetching the other machine's Bun takes long, Bun tells how far it is. */
function withoutProgress(stderr: string): string {
  return Bun.stripANSI(stderr)
    .replace(/^\s*(Downloading|Decompressing|Extracting)\b.*$/gm, "")
    .trim();
}

test("an executable takes no more than 145 MB, and a release is for four machines", async () => {
  const unknown = await runToEnd([process.execPath, "packaging/release.ts", "--target", "bun-windows-x64"], {
    cwd: CHECKOUT,
  });
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    `There is no target "bun-windows-x64". The targets are bun-linux-x64, bun-linux-x64-baseline, bun-linux-arm64, bun-darwin-arm64.\n`,
  ]);
  if (isOutOfReach) return;
  const folder = mkdtempSync(join(tmpdir(), "platen-size-"));
  const tarball = join(RELEASE, `${NAME}-linux-arm64.tar.gz`);
  await runToEnd(["tar", "-xzf", tarball, "-C", folder, `${NAME}-linux-arm64/platen`]);
  expect(statSync(join(folder, `${NAME}-linux-arm64/platen`)).size).toBeLessThanOrEqual(145 * 1024 * 1024);
});

test("the installer puts executable and unit where they belong, keeps a unit that is there, and wants an address", async () => {
  if (isOutOfReach) return;
  const folder = mkdtempSync(join(tmpdir(), "platen-install-"));
  await runToEnd(["tar", "-xzf", join(RELEASE, `${NAME}-linux-arm64.tar.gz`), "-C", folder]);
  const root = join(folder, "root");
  const install = (...args: string[]) =>
    runToEnd(["sh", join(folder, `${NAME}-linux-arm64/install.sh`), ...args], { env: { ROOT: root } });
  for (const args of [[], ["blog.example.com"], ["https://ada.example|w x&y"]]) {
    const { code, stderr } = await install(...args);
    expect([code, stderr]).toEqual([
      2,
      "Type: sudo sh install.sh https://blog.example.com (the address your readers will use)\n",
    ]);
  }
  expect(await install("https://ada.example")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(statSync(join(root, "usr/local/bin/platen")).mode & 0o777).toBe(0o755);
  const unit = join(root, "etc/systemd/system/platen.service");
  expect(await Bun.file(unit).text()).toContain("\nEnvironment=PLATEN_URL=https://ada.example\n");
  expect((await install("https://other.example")).stdout).toContain(`Kept ${unit} as it is`);
  expect(await Bun.file(unit).text()).toContain("https://ada.example");
});

test("the Debian package has the executable on the PATH, and a unit that starts it from there", async () => {
  if (isOutOfReach) return;
  const file = join(RELEASE, `platen_${manifest.version}_arm64.deb`);
  const root = mkdtempSync(join(tmpdir(), "platen-deb-"));
  expect((await runToEnd(["dpkg-deb", "--extract", file, root])).code).toBe(0);
  expect(existsSync(join(root, "usr/bin/platen"))).toBe(true);
  expect(await Bun.file(join(root, "lib/systemd/system/platen.service")).text()).toContain(
    "ExecStart=/usr/bin/platen serve",
  );
  const control = (await runToEnd(["dpkg-deb", "--field", file])).stdout;
  expect(control).toContain(`Package: platen\nVersion: ${manifest.version}\nArchitecture: arm64\n`);
});

const has = (...programs: string[]) => programs.every((program) => Bun.which(program) !== null);

test.skipIf(process.getuid?.() !== 0 || !has("dpkg"))(
  "the Debian package installs, and leaves nothing but data when it is removed",
  async () => {
    if (isOutOfReach) return;
    const root = mkdtempSync(join(tmpdir(), "platen-dpkg-"));
    for (const name of ["info", "updates", "triggers"])
      mkdirSync(join(root, "var/lib/dpkg", name), { recursive: true });
    for (const name of ["status", "available"]) await Bun.write(join(root, "var/lib/dpkg", name), "");
    // Of another machine, and without the libraries it asks for.
    const forced = ["--force-depends", "--force-architecture"];
    const dpkg = (...words: string[]) => runToEnd(["dpkg", `--root=${root}`, ...forced, ...words]);
    const file = join(RELEASE, `platen_${manifest.version}_arm64.deb`);
    expect((await dpkg("--install", file)).code).toBe(0);
    expect(existsSync(join(root, "usr/bin/platen"))).toBe(true);
    await Bun.write(join(root, "var/lib/platen/platen.db"), "data");
    expect((await dpkg("--purge", "platen")).code).toBe(0);
    expect(readdirSync(root)).toEqual(["var"]);
    expect(existsSync(join(root, "var/lib/platen/platen.db"))).toBe(true);
  },
);

/** What systemd counts against a service, and this one has: it speaks with the network, and its code is made as it runs. */
const RIGHTS = [
  ...["PrivateNetwork", "IPAddressDeny", "RestrictAddressFamilies_AF_INET_INET6"],
  ...["RestrictAddressFamilies_AF_UNIX", "NotifyAccess", "MemoryDenyWriteExecute"],
  ...["SystemCallFilter_resources", "SystemCallFilter_privileged", "RootDirectoryOrRootImage"],
  ...["PrivateMounts", "PrivateUsers", "DeviceAllow"],
];

test.skipIf(!has("systemd-analyze"))(
  "systemd finds nothing to complain of in the unit, nor much that it may do",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "platen-unit-"));
    const unit = await Bun.file(join(CHECKOUT, "packaging/platen.service")).text();
    const file = join(folder, "platen.service");
    await Bun.write(file, unit.replace("/usr/local/bin/platen", process.execPath));
    expect(await runToEnd(["systemd-analyze", "verify", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    const judged = ["systemd-analyze", "security", "--offline=true", "--json=short", "--no-pager", file];
    const rights: { json_field: string; exposure: string | null }[] = JSON.parse(
      (await runToEnd(judged)).stdout,
    );
    const had = rights.filter(({ exposure }) => Number(exposure ?? 0) > 0).map((one) => one.json_field);
    expect(had.filter((right) => !RIGHTS.includes(right))).toEqual([]);
  },
);

test("the executable for arm64 sets up, takes a picture and shows it on a page", async () => {
  if (isOutOfReach) return;
  if (!emulates)
    return console.log("Not tested: the executable for arm64; qemu-user-static is not set up here.");
  const folder = mkdtempSync(join(tmpdir(), "platen-arm64-"));
  await runToEnd(["tar", "-xzf", join(RELEASE, `${NAME}-linux-arm64.tar.gz`), "-C", folder]);
  const program = join(folder, `${NAME}-linux-arm64/platen`);
  const data = freshFolder();
  const setUp = ["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data];
  const key = (await runToEnd([program, ...setUp], { env })).stdout.trim();
  await using server = await startServer({ data, program: [program], env });
  const api = async (path: string, body: BodyInit, type?: string) => {
    const headers = { authorization: `Bearer ${key}`, ...(type && { "content-type": type }) };
    const answer = await fetch(`${server.url}/api/v1${path}`, { method: "POST", headers, body });
    expect([path, answer.status]).toEqual([path, 201]);
    return await answer.json();
  };
  const upload = new FormData();
  upload.append("attachment[file]", Bun.file(join(CHECKOUT, "docs/images/photo.webp")));
  const { attachment } = await api("/attachments", upload);
  const post = { title: "From another machine", status: "published", content: attachment.html };
  const { post: published } = await api("/posts", JSON.stringify({ post }), "application/json");
  const page = await (await fetch(published.url)).text();
  expect(page).toContain("From another machine");
  const [, picture] = /<img[^>]* src="([^"]+)"/.exec(page) ?? [];
  const answer = await fetch(new URL(picture as string, server.url));
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
});
