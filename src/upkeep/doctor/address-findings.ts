import { isIP } from "node:net";
import { baseHost } from "../../blogs/blog-names";
import { type Blog, listBlogs } from "../../blogs/blogs";
import { checkDomain } from "../../blogs/domain-check";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import { isLoopbackHost } from "../../config/ip-ranges";
import { DAY, HOUR } from "../../config/units";
import { guardedClient } from "../../outgoing/guarded-client";
import { firstBytes } from "../../outgoing/response-body";
import type { Platen } from "../../platen";
import { type DoctorFinding, okFinding } from "./doctor-finding";

/** Where the server tells how a request came to it. */
export const PROXY_ECHO_PATH = "/.well-known/platen-way";

/** In milliseconds. */
const ANSWERS_WITHIN = 10_000;
/** Caddy and certbot renew a month before the end, those that are good for days or hours with a third of that left. */
const CERTIFICATE_ENDS_SOON = 14 * DAY;
const SHARE_LEFT = 1 / 5;
/** In bytes; ours have about 100. */
const LONGEST_WAY = 2000;

const SET_BASE = "Set PLATEN_URL to the address that your readers use.";
const LEAD_HERE = "Let its DNS record lead here, and see that the server and the proxy run.";
const RENEW =
  "See that the proxy has a certificate for this name and renews it, and that this machine's clock is right.";

type Reached = Blog & { domain: string };

/** Of the base address and each blog's domain, as readers' browsers come to them. */
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
  if (isLoopbackHost(blog.domain))
    return [
      {
        about: blog.domain,
        state: "look",
        says: `Addresses begin with ${platen.config.url}, which only this machine can open.`,
        advice: SET_BASE,
      },
    ];
  const isBase = blog.domain === baseHost(platen);
  const { isFine, isUntrusted, says } = await checkDomain(platen, blog, true);
  if (!isFine)
    return [
      {
        about: blog.domain,
        state: "fault",
        says,
        advice: isUntrusted ? RENEW : isBase ? `${SET_BASE} ${LEAD_HERE}` : LEAD_HERE,
      },
    ];
  return [okFinding(blog.domain, says), await proxy(platen, blog), await encryption(platen, blog)];
}

/** What the proxy in front passes on: the name that was asked for, the scheme, and who asks. */
async function proxy(platen: Platen, blog: Reached): Promise<DoctorFinding> {
  const about = `proxy of ${blog.domain}`;
  const base = new URL(blogUrl(platen, blog)).origin;
  const fault = (says: string, advice: string): DoctorFinding => ({ about, state: "fault", says, advice });
  const answer = await guardedClient(platen.config).send({
    method: "GET",
    url: base + PROXY_ECHO_PATH,
    within: ANSWERS_WITHIN,
    isForAdmin: true,
  });
  if ("failed" in answer || answer.answered !== 200)
    return fault("It does not pass on what begins with /.well-known/.", "Let every path go to Platen.");
  const way = wayIn(Buffer.from(await firstBytes(answer, LONGEST_WAY)).toString());
  if (way.base !== base)
    return fault(
      `Platen is asked for ${way.base || "nothing it knows"} where ${base} was asked for.`,
      "Let the proxy pass on Host and X-Forwarded-Proto (see Caddyfile.example), and be trusted: PLATEN_TRUST_PROXY.",
    );
  if (isLoopbackHost(way.client))
    return fault(
      "Everybody seems to ask from this machine, so one reader's many requests shut out all the others.",
      "Let the proxy pass on X-Forwarded-For.",
    );
  return okFinding(about, "It passes on the name, the scheme and the reader's address.");
}

function wayIn(text: string): { base: string; client: string } {
  try {
    const { base, client } = JSON.parse(text);
    return { base: String(base), client: String(client) };
  } catch {
    return { base: "", client: "" };
  }
}

async function encryption(platen: Platen, blog: Reached): Promise<DoctorFinding> {
  const about = `certificate of ${blog.domain}`;
  const { protocol, hostname, port } = new URL(blogUrl(platen, blog));
  if (protocol !== "https:")
    return {
      about,
      state: "look",
      says: "There is none: what is written and signed in with can be read on its way.",
      advice: "Put a proxy with https in front (see Caddyfile.example), and set PLATEN_URL to https://…",
    };
  const valid = await validityOf(hostname, Number(port) || 443);
  if (valid === null)
    return { about, state: "look", says: "It could not be looked at.", advice: "Look at it in a browser." };
  const left = valid.to - platen.now().getTime();
  if (left > Math.min(CERTIFICATE_ENDS_SOON, SHARE_LEFT * (valid.to - valid.from)))
    return okFinding(about, `It is good for another ${span(left)}.`);
  return {
    about,
    state: "fault",
    says: `It ends in ${span(left)}.`,
    advice: "See why the proxy does not renew it.",
  };
}

/** "59 days", "11 hours". */
function span(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY);
  return days > 1 ? `${days} days` : `${Math.floor(milliseconds / HOUR)} hours`;
}

/** From when to when the certificate there is good, in milliseconds; null where there is none to be had. */
function validityOf(host: string, port: number): Promise<{ from: number; to: number } | null> {
  const { promise, resolve } = Promise.withResolvers<{ from: number; to: number } | null>();
  const { connect } = require("node:tls") as typeof import("node:tls");
  const name = host.replace(/^\[|\]$/g, "");
  const servername = isIP(name) ? "" : name;
  const socket = connect({ host: name, port, servername, timeout: ANSWERS_WITHIN }, () => {
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
