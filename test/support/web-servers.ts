import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runToEnd } from "./program";
import { atEnd } from "./temporary";
import { until } from "./waiting";

const CHECKOUT = join(import.meta.dir, "../..");
/** Debian installs servers in /usr/sbin, which may be missing in PATH. */
const PROGRAMS = `${process.env.PATH}:/usr/sbin:/sbin`;
const HOME_DOMAIN = "blog.example.com";
/** Domains in the docs. */
const DOMAINS = [HOME_DOMAIN, "another-blog.example.org"];

export interface WebServer {
  /** URL on all addresses of this machine, over TLS. */
  port: number;
  /** Certificate of its authority. */
  ca: string;
  stop(): void;
}

/** A web server in front of Platen, configured as documented. */
export interface WebServerKind {
  name: string;
  /** Whether it is installed. */
  isHere: boolean;
  /** @param folder for its files @param platen port of Platen */
  start(folder: string, platen: number): Promise<WebServer>;
}

export const caddy: WebServerKind = {
  name: "Caddy",
  isHere: isInstalled("caddy"),
  async start(folder, platen) {
    const server = await startCaddy(folder, platen, `{\n}\n${codeBlock("caddy")}`);
    for (const domain of DOMAINS) await untilCertificates(server, domain, join(folder, "log.errors"));
    return server;
  },
};

/** Caddy with the commented-out lines of Caddyfile.example: certificates on demand. */
export const caddyOnDemand: WebServerKind = {
  name: "Caddy with certificates on demand",
  isHere: isInstalled("caddy"),
  start(folder, platen) {
    const example = readFileSync(join(CHECKOUT, "Caddyfile.example"), "utf8");
    const lines = example.slice(example.indexOf("# {\n")).replaceAll(/^# ?/gm, "");
    return startCaddy(folder, platen, lines);
  },
};

export const nginx: WebServerKind = {
  name: "nginx",
  isHere: isInstalled("nginx") && isInstalled("openssl"),
  start: (folder, platen) => startNginx(folder, platen, codeBlock("nginx")),
};

/** nginx with the media cache of docs/scaling.md. */
export const nginxCache: WebServerKind = {
  name: "nginx that keeps media",
  isHere: nginx.isHere,
  start: (folder, platen) =>
    startNginx(
      folder,
      platen,
      codeBlock("nginx", "docs/scaling.md").replace("/var/cache/nginx/platen", join(folder, "kept")),
    ),
};

/** nginx with the page cache of docs/scaling.md, in `folder`/pages. */
export const nginxPages: WebServerKind = {
  name: "nginx that keeps pages too",
  isHere: nginx.isHere,
  start(folder, platen) {
    const [whole = "", more = ""] = codeBlocks("nginx", "docs/scaling.md");
    const [cache = "", location = ""] = more.split("\n\n");
    const sites = `${cache}\n${whole.replace(/^ {4}location \/ \{.*?^ {4}\}/ms, () => location)}`;
    const here = sites
      .replace("/var/cache/nginx/platen", join(folder, "kept"))
      .replace("/var/cache/nginx/pages", join(folder, "pages"));
    return startNginx(folder, platen, here);
  },
};

export const haproxy: WebServerKind = {
  name: "HAProxy",
  isHere: isInstalled("haproxy") && isInstalled("openssl"),
  async start(folder, platen) {
    const own = await certificate(folder);
    const port = freePort();
    const together = readFileSync(own.cert, "utf8") + readFileSync(own.key, "utf8");
    const config = adaptConfig(platen, codeBlock("haproxy"))
      .replace("bind :443", `bind :${port}`)
      .replace("/etc/haproxy/certificates/", writeFile(folder, "certificates/both.pem", together));
    const file = writeFile(folder, "haproxy.cfg", config);
    return startDaemon(folder, port, own.cert, ["haproxy", "-D", "-p", join(folder, "pid"), "-f", file]);
  },
};

async function startNginx(folder: string, platen: number, sites: string): Promise<WebServer> {
  const own = await certificate(folder);
  const port = freePort();
  const mine = adaptConfig(platen, sites)
    .replace("listen 443 ssl", `listen ${port} ssl`)
    .replace(/\/etc\/letsencrypt\S+fullchain.pem/, own.cert)
    .replace(/\/etc\/letsencrypt\S+privkey.pem/, own.key);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = `
    ${process.getuid?.() === 0 ? "user root;" : ""}
    pid ${folder}/pid;
    error_log ${folder}/errors.log;
    events {}
    http {
      access_log off;
      ${temporary.map((what) => `${what}_temp_path ${folder}/${what};`).join("\n")}
      # Another site of the same machine, which has what no other site is named for.
      server {
        listen ${port} ssl default_server;
        ssl_certificate ${own.cert};
        ssl_certificate_key ${own.key};
        return 421;
      }
      ${mine}
    }`;
  const file = writeFile(folder, "nginx.conf", config);
  return startDaemon(folder, port, own.cert, ["nginx", "-e", join(folder, "errors.log"), "-c", file]);
}

/** @param config begins with the block of global options */
async function startCaddy(folder: string, platen: number, config: string): Promise<WebServer> {
  const port = freePort();
  const options = `
    local_certs
    skip_install_trust
    admin off
    https_port ${port}
    http_port ${freePort()}
    storage file_system ${folder}/store`;
  const file = writeFile(folder, "Caddyfile", adaptConfig(platen, config).replace("{\n", `{${options}\n`));
  const ca = join(folder, "store/pki/authorities/local/root.crt");
  const pid = join(folder, "pid");
  return startDaemon(folder, port, ca, [
    ..."caddy start --adapter caddyfile --config".split(" "),
    file,
    "--pidfile",
    pid,
  ]);
}

/** Waits for Caddy's certificates, because it listens before it has them. @param log its output */
async function untilCertificates({ port, ca }: WebServer, domain: string, log: string): Promise<void> {
  const tls = { ca, serverName: domain } as BunFetchRequestInit["tls"];
  const ask = () => fetch(`https://127.0.0.1:${port}/livez`, { headers: { host: domain }, tls });
  await until(
    () => ask().catch(() => null),
    `a certificate of Caddy for ${domain}`,
    () => readFileSync(log, "utf8"),
  );
}

const running = new Set<number>();
atEnd(() => {
  for (const pid of running) process.kill(pid);
});

/** Each of these programs becomes a daemon when it listens, and writes its process id. */
async function startDaemon(folder: string, port: number, ca: string, command: string[]): Promise<WebServer> {
  // Output goes to files, because daemons would keep a pipe open.
  const log = join(folder, "log");
  const start = Bun.spawn(command, {
    stdin: "ignore",
    stdout: Bun.file(log),
    stderr: Bun.file(`${log}.errors`),
    env: { ...process.env, PATH: PROGRAMS, HOME: folder },
  });
  const failed = (await start.exited) !== 0;
  const output = readFileSync(log, "utf8") + readFileSync(`${log}.errors`, "utf8");
  if (failed || output.includes("[WARNING]")) throw new Error(output);
  const pid = await readProcessId(join(folder, "pid"));
  running.add(pid);
  // SIGKILL would leave nginx workers running.
  const stop = () => {
    process.kill(pid);
    running.delete(pid);
    rmSync(join(folder, "pid"), { force: true });
  };
  return { port, ca: readFileSync(ca, "utf8"), stop };
}

/** Reads the process id from a file, which the daemon may write later. */
function readProcessId(file: string): Promise<number> {
  return until(() => existsSync(file) && Number(readFileSync(file, "utf8")), `a number in ${file}`);
}

/** @returns the document's code block in this language */
export function codeBlock(language: string, document = "docs/running.md"): string {
  const [block] = codeBlocks(language, document);
  if (!block) throw new Error(`${document} has no block of ${language}.`);
  return block;
}

function codeBlocks(language: string, document: string): string[] {
  const text = readFileSync(join(CHECKOUT, document), "utf8");
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, block = ""]) => block);
}

function adaptConfig(platen: number, config: string): string {
  if (!config.includes("127.0.0.1:4000")) throw new Error(`No Platen in ${config}`);
  return config.replaceAll("127.0.0.1:4000", `127.0.0.1:${platen}`);
}

/** Creates a self-signed certificate for both domains. */
async function certificate(folder: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, "own.pem"), join(folder, "own.key")];
  const names = DOMAINS.map((domain) => `DNS:${domain}`).join(",");
  const made = await runToEnd([
    ..."openssl req -x509 -newkey rsa:2048 -nodes -days 2".split(" "),
    ...["-subj", `/CN=${HOME_DOMAIN}`, "-addext", `subjectAltName=${names}`, "-out", cert, "-keyout", key],
  ]);
  if (made.code !== 0) throw new Error(made.stderr);
  return { cert, key };
}

function writeFile(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** @returns a free port below the range of outgoing connections */
export function freePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(10_000 * Math.random());
    try {
      Bun.listen({ hostname: "0.0.0.0", port, socket: { data: () => {} } }).stop(true);
      return port;
    } catch {
      // The port is in use.
    }
  }
}

function isInstalled(program: string): boolean {
  return Bun.which(program, { PATH: PROGRAMS }) !== null;
}
