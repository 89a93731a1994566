import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import manifest from "../../package.json";
import { TARGETS, targetNamed } from "../../packaging/targets";
import { type CommandResult, freshFolder, runToEnd, startServer } from "../support/program";
import { temporaryFolder } from "../support/temporary";

setDefaultTimeout(900_000);

const CHECKOUT = join(import.meta.dir, "../..");
const RELEASE = join(CHECKOUT, "dist/release");
const NAME = `platen-${manifest.version}`;
/** Folder of Debian's libc6-arm64-cross, for the emulator. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const env = { QEMU_LD_PREFIX: LIBRARIES };
const emulates = existsSync(LIBRARIES) && existsSync("/proc/sys/fs/binfmt_misc/qemu-aarch64");

/** Runs a command as user 1000, if root can. */
const somebody = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
const asSomebody = Bun.which("unshare") && Bun.spawnSync([...somebody, "true"]).success ? somebody : [];

let made: CommandResult;
/** Bun for the other target comes from the package registry, which may be unreachable. */
let isOutOfReach = false;

beforeAll(async () => {
  // With umask 077 and in another time zone.
  const line = 'umask 077 && exec "$0" packaging/release.ts --target bun-linux-arm64';
  const license = join(CHECKOUT, "LICENSE");
  const { mode } = statSync(license);
  chmodSync(license, 0o600);
  const env = { TZ: "Pacific/Kiritimati" };
  const ended = await runToEnd([...asSomebody, "sh", "-c", line, process.execPath], {
    cwd: CHECKOUT,
    env,
    patience: 600_000,
  });
  chmodSync(license, mode);
  made = { ...ended, stderr: withoutProgress(ended.stderr) };
  isOutOfReach = made.code !== 0 && /fetch|download|registry|network/i.test(made.stderr);
  if (isOutOfReach) console.log(`Not tested: the release. ${made.stderr.trim()}`);
});

test("a release has a tarball, a Debian package, a software bill of materials and checksums", async () => {
  if (isOutOfReach) return;
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const checked = await runToEnd(["sha256sum", "--check", "SHA256SUMS"], { cwd: RELEASE });
  expect(checked.stdout.trimEnd().split("\n")).toEqual([
    `${NAME}-linux-arm64.tar.gz: OK`,
    `${NAME}.cdx.json: OK`,
    `platen_${manifest.version}_arm64.deb: OK`,
  ]);
  const tarball = join(RELEASE, `${NAME}-linux-arm64.tar.gz`);
  const listed = ["tar", "--numeric-owner", "--full-time", "-tvzf", tarball];
  const lines = (await runToEnd(listed, { env: { TZ: "UTC" } })).stdout.trimEnd().split("\n");
  const files = lines.map((line) => line.replace(/^.* /, ""));
  const beside = ["README.md", "CHANGELOG.md", "install.sh", "platen.service", "Containerfile"];
  for (const file of ["platen", "LICENSE", ...beside, "Caddyfile.example", "docs/running.md"])
    expect(files).toContain(`${NAME}-linux-arm64/${file}`);
  // Tarballs are reproducible, and files are readable for all.
  expect(files.filter((file) => !file.endsWith("/"))).toEqual(
    files.filter((file) => !file.endsWith("/")).toSorted(),
  );
  const sort = /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0\/0 +\d+ 2026-01-01 00:00:00 /;
  expect(lines.filter((line) => !sort.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith("-rwx")).length).toBe(1);
  const inside = await Bun.file(join(RELEASE, `${NAME}.cdx.json`)).json();
  const names = inside.components.map((one: { name: string }) => one.name);
  for (const name of [...Object.keys(manifest.dependencies), "@img/sharp-libvips-linux-arm64"])
    expect(names).toContain(name);
  const component = (name: string) => inside.components.find((one: { name: string }) => one.name === name);
  expect(component("bun")).toMatchObject({ version: Bun.version, purl: `pkg:npm/bun@${Bun.version}` });
  expect(component("@img/sharp-libvips-linux-arm64")).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/%40img\/sharp-libvips-linux-arm64@\d/),
    licenses: [{ expression: expect.stringContaining("LGPL") }],
  });
  const platen = { type: "application", name: "platen", version: manifest.version };
  const list = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata: { component: platen } };
  expect(inside).toMatchObject(list);
  const refs = inside.components.map((one: Record<string, string>) => one["bom-ref"]);
  expect(new Set(refs).size).toBe(inside.components.length);
  expect(refs).toContain(`pkg:npm/bun@${Bun.version}`);
  for (const { type } of inside.components) expect(type).toBe("library");
});

test("links between documents in a tarball lead to files and headings in it", async () => {
  if (isOutOfReach) return;
  const folder = temporaryFolder("links");
  const tarball = join(RELEASE, `${NAME}-linux-arm64.tar.gz`);
  await runToEnd(["tar", "-xzf", tarball, "-C", folder, "--strip-components=1"]);
  const documents = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  );
  const textOf = (path: string) =>
    readFileSync(join(folder, path), "utf8").replaceAll(/^ *```.*?^ *```$/gms, "");
  const links = documents.flatMap((document) =>
    [...textOf(document).matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g)].map(([, to, heading]) => ({
      link: `${document}: ${to}#${heading}`,
      to: to === "" ? document : join(dirname(document), to as string),
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(100);
  const strays = links.filter(
    ({ to, heading }) =>
      !existsSync(join(folder, to)) ||
      (heading !== "" && !headingsOf(textOf(to)).includes(heading as string)),
  );
  expect(strays.map(({ link }) => link)).toEqual([]);
});

/** @returns anchors of the headings */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Removes Bun's download progress. */
function withoutProgress(stderr: string): string {
  return Bun.stripANSI(stderr)
    .replace(/^\s*(Downloading|Decompressing|Extracting)\b.*$/gm, "")
    .trim();
}

test("an executable has at most 145 MB, and a release has four targets", async () => {
  const unknown = await runToEnd([process.execPath, "packaging/release.ts", "--target", "bun-windows-x64"], {
    cwd: CHECKOUT,
  });
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    `Unknown target "bun-windows-x64". Use one of bun-linux-x64, bun-linux-x64-baseline, bun-linux-arm64, bun-darwin-arm64.\n`,
  ]);
  const mistyped = await runToEnd([process.execPath, "packaging/release.ts", "--targets"], { cwd: CHECKOUT });
  expect([mistyped.code, mistyped.stderr]).toEqual([2, "Type: bun run release [--target TARGET]…\n"]);
  // Debian's amd64 includes older machines.
  expect(TARGETS.map((name) => [name, targetNamed(name).debian])).toEqual([
    ["bun-linux-x64", "amd64"],
    ["bun-linux-x64-baseline", "amd64"],
    ["bun-linux-arm64", "arm64"],
    ["bun-darwin-arm64", null],
  ]);
  if (isOutOfReach) return;
  const folder = temporaryFolder("size");
  const tarball = join(RELEASE, `${NAME}-linux-arm64.tar.gz`);
  await runToEnd(["tar", "-xzf", tarball, "-C", folder, `${NAME}-linux-arm64/platen`]);
  expect(statSync(join(folder, `${NAME}-linux-arm64/platen`)).size).toBeLessThanOrEqual(145 * 1024 * 1024);
});

test("the installer installs executable and unit, keeps a changed unit, and requires a URL", async () => {
  if (isOutOfReach) return;
  const folder = temporaryFolder("install");
  await runToEnd(["tar", "-xzf", join(RELEASE, `${NAME}-linux-arm64.tar.gz`), "-C", folder]);
  const root = join(folder, "root");
  const script = join(folder, `${NAME}-linux-arm64/install.sh`);
  const install = (...args: string[]) =>
    runToEnd(["sh", "-c", 'umask 077 && exec sh "$0" "$@"', script, ...args], { env: { ROOT: root } });
  const strange = [" ", "|", "&", "\\"].map((sign) => [`https://ada.example/${sign}w`]);
  for (const args of [[], ["blog.example.com"], ["https://"], ...strange]) {
    const { code, stderr } = await install(...args);
    expect([code, stderr]).toEqual([
      2,
      "Type: sudo sh install.sh https://blog.example.com (the public address of your blog)\n",
    ]);
  }
  expect(await install("https://ada.example")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(statSync(join(root, "usr/local/bin/platen")).mode & 0o777).toBe(0o755);
  const unit = join(root, "etc/systemd/system/platen.service");
  expect(await Bun.file(unit).text()).toContain("\nEnvironment=PLATEN_URL=https://ada.example\n");
  // A running executable is replaced, not overwritten.
  const running = statSync(join(root, "usr/local/bin/platen")).ino;
  expect((await install("https://other.example")).stdout).toBe(
    "Changed the address from https://ada.example to https://other.example.\n",
  );
  expect(statSync(join(root, "usr/local/bin/platen")).ino).not.toBe(running);
  expect(readdirSync(join(root, "usr/local/bin"))).toEqual(["platen"]);
  const installed = await Bun.file(unit).text();
  expect(installed).toContain("\nEnvironment=PLATEN_URL=https://other.example\n");
  const changedByHand = installed.replace("WatchdogSec=60", "WatchdogSec=90");
  await Bun.write(unit, changedByHand);
  expect((await install("https://other.example")).stdout).toBe(
    `Updated ${unit}. The previous version is ${unit}.previous. For your own settings, use: sudo systemctl edit platen\n`,
  );
  expect(await Bun.file(unit).text()).toBe(installed);
  expect(await Bun.file(`${unit}.previous`).text()).toBe(changedByHand);
  expect(await install("https://other.example")).toEqual({ code: 0, stdout: "", stderr: "" });
  rmSync(unit);
  expect((await install("http://pi.local:4000")).code).toBe(0);
  expect(await Bun.file(unit).text()).toContain("\nEnvironment=PLATEN_URL=http://pi.local:4000\n");
});

test("the installer stops if a file cannot be written", async () => {
  const root = temporaryFolder("install");
  await Bun.write(join(root, "usr/local/bin"), "in the way");
  const install = ["sh", join(CHECKOUT, "packaging/install.sh"), "https://ada.example"];
  expect((await runToEnd(install, { env: { ROOT: root } })).code).not.toBe(0);
  expect(existsSync(join(root, "etc/systemd/system/platen.service"))).toBe(false);
});

const isRoot = process.getuid?.() === 0;
const has = (...programs: string[]) => programs.every((program) => Bun.which(program) !== null);

/** Creates a folder for PATH with a `systemctl` and a `journalctl` that record their arguments in `calls`. */
function systemdIn(folder: string): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  for (const name of ["systemctl", "journalctl"]) {
    const line = `echo "${name} $*" | tee -a ${join(folder, "calls")}\n! grep -qxe "$1" ${join(folder, "fails")}\n`;
    writeFileSync(join(programs, name), `#!/bin/sh\n${line}`);
    chmodSync(join(programs, name), 0o755);
  }
  for (const name of ["calls", "fails"]) writeFileSync(join(folder, name), "");
  return programs;
}

test.skipIf(!isRoot || !has("unshare", "setpriv") || !existsSync("/etc/systemd"))(
  "the installer needs root, tries the executable first, and reports whether the service started",
  async () => {
    const folder = temporaryFolder("installed");
    chmodSync(folder, 0o755);
    const programs = systemdIn(folder);
    for (const name of ["install.sh", "platen.service"])
      copyFileSync(join(CHECKOUT, "packaging", name), join(folder, name));
    const executable = (line: string) => {
      writeFileSync(join(folder, "platen"), `#!/bin/sh\n${line}\n`);
      chmodSync(join(folder, "platen"), 0o755);
    };
    const calls = () => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
    // In a mount namespace that hides this machine's folders.
    const before = "mount -t tmpfs none /usr/local/bin && mount -t tmpfs none /etc/systemd";
    const after = "ls /usr/local/bin /etc/systemd/system; exit $code";
    const install = (who = "") =>
      runToEnd(
        [
          ...["unshare", "--mount", "sh", "-c"],
          `${before} && { ${who} sh ${folder}/install.sh https://ada.example; code=$?; ${after}; }`,
        ],
        { env: { PATH: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin` } },
      );
    executable("exit 0");
    const nobody = await install("setpriv --reuid=65534 --regid=65534 --clear-groups");
    expect([nobody.code, nobody.stderr.split("\n")[0]]).toEqual([
      1,
      "Type: sudo sh install.sh https://ada.example",
    ]);
    executable("exit 1");
    const other = await install();
    expect([other.code, other.stdout]).toEqual([1, "/usr/local/bin:\n"]);
    expect(other.stderr).toContain(`cannot run ${folder}/platen. Use the release for its processor`);
    expect(calls()).toEqual([""]);

    executable("exit 0");
    const done = await install();
    expect([done.code, done.stderr]).toEqual([0, ""]);
    expect(done.stdout.split("\n")).toContain("platen.service");
    const started = ["daemon-reload", "enable platen", "restart platen"].map((each) => `systemctl ${each}`);
    expect(calls()).toEqual([...started, "journalctl --unit platen --lines 3 --no-pager"]);

    writeFileSync(join(folder, "fails"), "restart\n");
    const failed = await install();
    expect([failed.code, failed.stderr]).toEqual([1, "journalctl --unit platen --lines 20 --no-pager\n"]);
    expect(calls().slice(4)).toEqual([...started, "journalctl --unit platen --lines 20 --no-pager"]);
  },
);

test("the Debian package installs the executable in PATH, and a unit", async () => {
  if (isOutOfReach) return;
  const file = join(RELEASE, `platen_${manifest.version}_arm64.deb`);
  const root = temporaryFolder("deb");
  expect((await runToEnd(["dpkg-deb", "--extract", file, root])).code).toBe(0);
  expect(existsSync(join(root, "usr/bin/platen"))).toBe(true);
  expect(await Bun.file(join(root, "lib/systemd/system/platen.service")).text()).toContain(
    "ExecStart=/usr/bin/platen serve",
  );
  const control = (await runToEnd(["dpkg-deb", "--field", file])).stdout;
  expect(control).toContain(
    `Package: platen\nVersion: ${manifest.version.replace("-", "~")}\nArchitecture: arm64\n`,
  );
  for (const line of ["Maintainer: ", "Section: web\n", "Priority: optional\n", manifest.description])
    expect(control).toContain(line);
  // Any Debian can unpack gzip.
  expect(readFileSync(file).includes("data.tar.gz")).toBe(true);
  const documents = join(root, "usr/share/doc/platen");
  for (const name of ["README.md", "copyright", "docs/running.md", "examples/Caddyfile"])
    expect(existsSync(join(documents, name))).toBe(true);
  const lines = (await runToEnd(["dpkg-deb", "--contents", file])).stdout.trimEnd().split("\n");
  const right = /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x(?=.*\/usr\/bin\/platen$)) root\/root /;
  expect(lines.filter((line) => !right.test(line))).toEqual([]);
});

/** Debian's package of each system library; others are in libc6. */
const PACKAGES: Record<string, string> = { "libstdc++": "libstdc++6", libgcc_s: "libgcc-s1" };

test("the Debian package depends on the libraries of the executable and of sharp", async () => {
  if (isOutOfReach) return;
  const file = join(RELEASE, `platen_${manifest.version}_arm64.deb`);
  const depends = (await runToEnd(["dpkg-deb", "--field", file, "Depends"])).stdout.trim();
  const root = temporaryFolder("depends");
  await runToEnd(["dpkg-deb", "--extract", file, root]);
  // The libraries of this machine have the same dependencies.
  const sharp = [...new Glob("node_modules/@img/sharp-*/lib/*").scanSync(CHECKOUT)];
  const libraries = sharp.filter((path) => /\.node$|\.so/.test(path)).map((path) => join(CHECKOUT, path));
  expect(libraries.length).toBeGreaterThan(1);
  const packages = new Set(["libc6"]);
  let newest = 0;
  for (const path of [join(root, "usr/bin/platen"), ...libraries]) {
    const text = readFileSync(path, "latin1");
    for (const [, name = ""] of text.matchAll(/\0(lib[\w+]+)\.so\.\d+(?=\0)/g))
      packages.add(PACKAGES[name] ?? "libc6");
    for (const [, minor] of text.matchAll(/\0GLIBC_2\.(\d+)(?=\0)/g))
      newest = Math.max(newest, Number(minor));
  }
  expect(
    depends
      .replaceAll(/ \(.*?\)/g, "")
      .split(", ")
      .toSorted(),
  ).toEqual([...packages].toSorted());
  expect(newest).toBeWithin(17, Number(/libc6 \(>= 2\.(\d+)\)/.exec(depends)?.[1]) + 1);
});

test.skipIf(!isRoot || !has("dpkg"))(
  "the Debian package installs, stops the service before removal but not for an upgrade, and leaves only data",
  async () => {
    if (isOutOfReach) return;
    const root = temporaryFolder("dpkg");
    for (const name of ["info", "updates", "triggers"])
      mkdirSync(join(root, "var/lib/dpkg", name), { recursive: true });
    for (const name of ["status", "available"]) await Bun.write(join(root, "var/lib/dpkg", name), "");
    const folder = temporaryFolder("systemctl");
    const env = { PATH: `${systemdIn(folder)}:${process.env.PATH}:/usr/sbin:/sbin` };
    const calls = () => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n");
    // Another architecture, without its dependencies; maintainer scripts run in this shell.
    const forced = ["--force-depends", "--force-architecture", "--force-script-chrootless"];
    const dpkg = (...words: string[]) => runToEnd(["dpkg", `--root=${root}`, ...forced, ...words], { env });
    const file = join(RELEASE, `platen_${manifest.version}_arm64.deb`);
    expect((await dpkg("--install", file)).code).toBe(0);
    expect(existsSync(join(root, "usr/bin/platen"))).toBe(true);
    expect(calls()).toEqual([""]);
    mkdirSync(join(root, "run/systemd/system"), { recursive: true });
    const reload = "systemctl daemon-reload";
    expect((await dpkg("--install", file)).code).toBe(0);
    expect(calls()).toEqual([reload, reload]);
    await Bun.write(join(root, "var/lib/platen/platen.db"), "data");
    writeFileSync(join(folder, "calls"), "");
    expect((await dpkg("--remove", "platen")).code).toBe(0);
    expect(calls()).toEqual(["systemctl disable --now platen", reload]);
    expect((await dpkg("--purge", "platen")).code).toBe(0);
    expect(readdirSync(root).sort()).toEqual(["run", "var"]);
    expect(existsSync(join(root, "var/lib/platen/platen.db"))).toBe(true);
  },
);

/** Findings of systemd-analyze that are accepted: network access and just-in-time code. */
const RIGHTS = [
  ...["PrivateNetwork", "IPAddressDeny", "RestrictAddressFamilies_AF_INET_INET6"],
  ...["RestrictAddressFamilies_AF_UNIX", "NotifyAccess", "MemoryDenyWriteExecute"],
  ...["SystemCallFilter_resources", "SystemCallFilter_privileged", "RootDirectoryOrRootImage"],
  ...["PrivateMounts", "PrivateUsers", "DeviceAllow"],
];

test.skipIf(!has("systemd-analyze"))(
  "systemd-analyze accepts the unit and its security settings",
  async () => {
    const folder = temporaryFolder("unit");
    const unit = await Bun.file(join(CHECKOUT, "packaging/platen.service")).text();
    const here = unit.replace("/usr/local/bin/platen", process.execPath);
    for (const [name, text] of [
      ["platen.service", here],
      // DynamicUser= implies these.
      ["own-user.service", here.replace("DynamicUser=yes", "User=daemon")],
    ] as const) {
      const file = join(folder, name);
      await Bun.write(file, text);
      const verified = await runToEnd(["systemd-analyze", "verify", file]);
      expect(verified).toEqual({ code: 0, stdout: "", stderr: "" });
      const judged = ["systemd-analyze", "security", "--offline=true", "--json=short", "--no-pager", file];
      const rights: { json_field: string; exposure: string | null }[] = JSON.parse(
        (await runToEnd(judged)).stdout,
      );
      const had = rights.filter(({ exposure }) => Number(exposure ?? 0) > 0).map((one) => one.json_field);
      expect([name, had.filter((right) => !RIGHTS.includes(right))]).toEqual([name, []]);
    }
  },
);

test("the unit may write to the data folder only, has a watchdog, restarts on failure and starts at boot", async () => {
  const unit = await Bun.file(join(CHECKOUT, "packaging/platen.service")).text();
  const settings = Object.fromEntries(
    [...unit.matchAll(/^(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  // The state folder, readable for the service's user only.
  expect(unit).toContain(`\nEnvironment=PLATEN_DATA=/var/lib/${settings.StateDirectory}\n`);
  expect(settings).toMatchObject({ DynamicUser: "yes", StateDirectoryMode: "0700", UMask: "0077" });
  // systemd-notify is a child process.
  expect(settings).toMatchObject({ Type: "notify", NotifyAccess: "all", Restart: "on-failure" });
  expect(settings.WatchdogSec).toBe("60");
  // systemd gives up after five failures in ten seconds.
  expect(5 * Number(settings.RestartSec)).toBeWithin(10, 60);
  // Requests have ten seconds to end; a webhook or backup ends after that.
  expect(Number(settings.TimeoutStopSec)).toBeWithin(20, 90);
  expect(settings.KillMode).toBe("mixed");
  // Forbidden system calls fail with EPERM instead of killing the process.
  expect(settings.SystemCallErrorNumber).toBe("EPERM");
  expect(settings.Description).toBe("Platen blog server");
  expect(settings.TimeoutStartSec).toBe("15min");
  // The picture decoder may be killed for its memory without stopping the server.
  expect(settings.OOMPolicy).toBe("continue");
  // The program uses just-in-time code.
  expect(settings.MemoryDenyWriteExecute).toBeUndefined();
  expect(settings).toMatchObject({ After: "network-online.target", Wants: "network-online.target" });
  expect(settings.WantedBy).toBe("multi-user.target");
});

test("the arm64 executable runs setup, accepts a picture and shows it on a page", async () => {
  if (isOutOfReach) return;
  if (!emulates)
    return console.log("Not tested: the executable for arm64; qemu-user-static is not set up here.");
  const folder = temporaryFolder("arm64");
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
