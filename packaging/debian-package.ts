import { chmod, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json";
import { packTarball } from "./programs";

/** Maintainer scripts, run only if systemd is running. They leave drop-ins of `systemctl edit` alone. */
const SCRIPTS = {
  postinst: "systemctl daemon-reload",
  prerm: '[ "$1" != remove ] || systemctl disable --now platen',
  postrm: "systemctl daemon-reload",
};

/**
 * Does not start the systemd unit, because the unit needs an address first.
 * @param architecture Debian's name, such as "amd64"
 * @param unpacked folder with the files of the release
 */
export async function debianPackage(architecture: string, unpacked: string, into: string): Promise<void> {
  const root = `${unpacked}.deb-root`;
  const put = async (from: string, to: string) => {
    await mkdir(join(root, to, ".."), { recursive: true });
    await cp(join(unpacked, from), join(root, to), { recursive: true });
  };
  await put("platen", "usr/bin/platen");
  await put("README.md", "usr/share/doc/platen/README.md");
  await put("LICENSE", "usr/share/doc/platen/copyright");
  await put("docs", "usr/share/doc/platen/docs");
  await put("Caddyfile.example", "usr/share/doc/platen/examples/Caddyfile");
  const unit = await Bun.file(join(unpacked, "platen.service")).text();
  await Bun.write(
    join(root, "lib/systemd/system/platen.service"),
    unit.replace("/usr/local/bin/platen", "/usr/bin/platen"),
  );
  const controls = `${unpacked}.deb-control`;
  await Bun.write(join(controls, "control"), control(architecture));
  for (const [name, line] of Object.entries(SCRIPTS)) {
    const script = join(controls, name);
    await Bun.write(script, `#!/bin/sh\nset -e\n[ -d "$DPKG_ROOT/run/systemd/system" ] || exit 0\n${line}\n`);
    await chmod(script, 0o755);
  }
  const file = join(into, `platen_${manifest.version}_${architecture}.deb`);
  await packTarball(`${controls}.tar.gz`, controls, ".");
  await packTarball(`${root}.tar.gz`, root, ".");
  const archive = new Blob([
    "!<arch>\n",
    ...(await member("debian-binary", new Blob(["2.0\n"]))),
    ...(await member("control.tar.gz", Bun.file(`${controls}.tar.gz`))),
    ...(await member("data.tar.gz", Bun.file(`${root}.tar.gz`))),
  ]);
  await Bun.write(file, archive);
  for (const made of [root, `${root}.tar.gz`, controls, `${controls}.tar.gz`])
    await rm(made, { recursive: true });
}

/** Columns of an `ar` archive (deb(5)): name, time, user, group, mode and size. */
async function member(name: string, content: Blob): Promise<BlobPart[]> {
  const header = `${name.padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}`;
  const bytes = await content.bytes();
  return [`${header}${String(bytes.length).padEnd(10)}\`\n`, bytes, bytes.length % 2 === 0 ? "" : "\n"];
}

/** In Debian, "~" sorts a beta before its release. */
function debianVersion(version: string): string {
  return version.replace("-", "~");
}

function control(architecture: string): string {
  return `Package: platen
Version: ${debianVersion(manifest.version)}
Architecture: ${architecture}
Maintainer: The Platen authors <platen@localhost>
Section: web
Priority: optional
Depends: libc6 (>= 2.31), libgcc-s1, libstdc++6
Description: ${manifest.description}
`;
}
