import { chmod, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json";
import { run } from "./running";

/**
 * What dpkg runs, where systemd does: a new unit is read, and a server whose executable goes is stopped first. Settings
 * that somebody made by `systemctl edit` stay.
 */
const SCRIPTS = {
  postinst: "systemctl daemon-reload",
  prerm: '[ "$1" != remove ] || systemctl disable --now platen',
  postrm: "systemctl daemon-reload",
};

/**
 * A Debian package: the executable on the PATH, the systemd unit (not started: it wants its address first) and the
 * documents. Removing it leaves /var/lib/platen as it is.
 * @param architecture "amd64", "arm64"
 * @param unpacked the folder of the tarball
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
  await Bun.write(join(root, "DEBIAN/control"), control(architecture));
  for (const [name, line] of Object.entries(SCRIPTS)) {
    const script = join(root, "DEBIAN", name);
    await Bun.write(script, `#!/bin/sh\nset -e\n[ -d "$DPKG_ROOT/run/systemd/system" ] || exit 0\n${line}\n`);
    await chmod(script, 0o755);
  }
  const file = join(into, `platen_${manifest.version}_${architecture}.deb`);
  await run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, file]);
  await rm(root, { recursive: true });
}

function control(architecture: string): string {
  return `Package: platen
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: The Platen authors <platen@localhost>
Section: web
Priority: optional
Depends: libc6 (>= 2.31), libgcc-s1, libstdc++6
Description: ${manifest.description}
`;
}
