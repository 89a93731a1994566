import { isIP } from "node:net";
import { baseHost } from "../blogs/blog-addresses";
import { type Blog, blogUrl, homeBlog, listBlogs } from "../blogs/blogs";
import { checkDomain } from "../blogs/domain-check";
import { isLoopbackHost } from "../config/ip-ranges";
import { DAY, HOUR } from "../config/units";
import { guardedClient } from "../outgoing/guarded-client";
import { firstBytes } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { parseJsonObject } from "../text/json";

export interface DoctorFinding {
  about: string;
  /** Only errors make `platen doctor` fail. */
  state: "ok" | "warning" | "error";
  message: string;
  advice: string;
}

export const findingsAbout = (about: string) => ({
  ok: (message: string): DoctorFinding => ({ about, state: "ok", message, advice: "" }),
  warning: (message: string, advice: string): DoctorFinding => ({ about, state: "warning", message, advice }),
  error: (message: string, advice: string): DoctorFinding => ({ about, state: "error", message, advice }),
});

export const PROXY_ECHO_PATH = "/.well-known/platen-way";

const TIMEOUT_MS = 10_000;
/** Minimum remaining validity. Caddy and certbot renew when about a third of the lifetime is left. */
const MIN_VALIDITY_MS = 14 * DAY;
const MIN_VALIDITY_SHARE = 1 / 5;
const MAX_ECHO_BYTES = 2000;

const SET_BASE = "Set PLATEN_URL to your public address.";
const DNS_ADVICE = "Check the DNS record, and that the server and the proxy are running.";
const CERTIFICATE_ADVICE =
  "Check that the proxy has a certificate for this name and renews it, and that this machine's clock is right.";

type Reached = Blog & { domain: string };

export async function addressFindings(platen: Platen): Promise<DoctorFinding[]> {
  const home = homeBlog(platen);
  if (!home) return [];
  const places: Reached[] = [
    { ...home, domain: baseHost(platen) },
    ...listBlogs(platen).filter((blog): blog is Reached => blog.domain !== null && blog.id !== home.id),
  ];
  const found = await Promise.all(places.map((blog) => findingsAt(platen, blog)));
  return found.flat();
}

async function findingsAt(platen: Platen, blog: Reached): Promise<DoctorFinding[]> {
  const { domain } = blog;
  const finding = findingsAbout(domain);
  const loopback = `Links begin with ${platen.config.url}, which only this machine can reach.`;
  if (isLoopbackHost(domain)) return [finding.warning(loopback, SET_BASE)];
  const dnsAdvice = domain === baseHost(platen) ? `${SET_BASE} ${DNS_ADVICE}` : DNS_ADVICE;
  const { isFine, isUntrusted, message } = await checkDomain(platen, blog, true);
  if (!isFine) return [finding.error(message, isUntrusted ? CERTIFICATE_ADVICE : dnsAdvice)];
  return [finding.ok(message), await proxy(platen, blog), await encryption(platen, blog)];
}

async function proxy(platen: Platen, blog: Reached): Promise<DoctorFinding> {
  const finding = findingsAbout(`proxy of ${blog.domain}`);
  const base = new URL(blogUrl(platen, blog)).origin;
  const response = await guardedClient(platen.config).send({
    url: base + PROXY_ECHO_PATH,
    within: TIMEOUT_MS,
    isForAdmin: true,
  });
  if ("failed" in response || response.statusCode !== 200)
    return finding.error(
      "The proxy does not forward paths below /.well-known/.",
      "Forward all paths to Platen.",
    );
  const echo = Buffer.from(await firstBytes(response, MAX_ECHO_BYTES)).toString();
  const way = parseJsonObject(echo) ?? {};
  if (way.base !== base)
    return finding.error(
      `Requests to ${base} reach Platen as ${way.base || "an unknown address"}.`,
      "Make the proxy forward Host and X-Forwarded-Proto (see Caddyfile.example), and add the proxy to PLATEN_TRUST_PROXY.",
    );
  if (isLoopbackHost(String(way.client)))
    return finding.error(
      "All requests seem to come from this machine, so all readers share one rate limit.",
      "Make the proxy forward X-Forwarded-For.",
    );
  return finding.ok("The proxy forwards host, scheme and client address.");
}

async function encryption(platen: Platen, blog: Reached): Promise<DoctorFinding> {
  const finding = findingsAbout(`certificate of ${blog.domain}`);
  const { protocol, hostname, port } = new URL(blogUrl(platen, blog));
  if (protocol !== "https:")
    return finding.warning(
      "The public address does not use https: passwords and posts are sent unencrypted.",
      "Put a proxy with https in front (see Caddyfile.example), and set PLATEN_URL to https://…",
    );
  const valid = await validityOf(hostname, Number(port) || 443);
  if (valid === null)
    return finding.warning("The certificate could not be checked.", "Open the address in a browser.");
  const left = valid.to - platen.now().getTime();
  if (left > Math.min(MIN_VALIDITY_MS, MIN_VALIDITY_SHARE * (valid.to - valid.from)))
    return finding.ok(`The certificate is valid for another ${formatSpan(left)}.`);
  return finding.error(
    `The certificate expires in ${formatSpan(left)}.`,
    "Check why the proxy does not renew the certificate.",
  );
}

function formatSpan(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY);
  return days > 1 ? `${days} days` : `${Math.floor(milliseconds / HOUR)} hours`;
}

function validityOf(host: string, port: number): Promise<{ from: number; to: number } | null> {
  const { promise, resolve } = Promise.withResolvers<{ from: number; to: number } | null>();
  const { connect } = require("node:tls") as typeof import("node:tls");
  const name = host.replace(/^\[|\]$/g, "");
  const servername = isIP(name) ? "" : name;
  const socket = connect({ host: name, port, servername, timeout: TIMEOUT_MS }, () => {
    const { valid_from, valid_to } = socket.getPeerCertificate();
    const [from, to] = [Date.parse(valid_from), Date.parse(valid_to)];
    resolve(Number.isNaN(from + to) ? null : { from, to });
    socket.end();
  });
  socket.once("error", () => resolve(null));
  socket.once("timeout", () => {
    socket.destroy();
    resolve(null);
  });
  return promise;
}
