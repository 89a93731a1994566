import type { Account } from "../accounts/accounts";
import { specialAddressKind } from "../config/ip-ranges";
import { inTransaction } from "../database/transactions";
import { systemResolve } from "../outgoing/address-guard";
import { guardedClient } from "../outgoing/guarded-client";
import { type Failure, firstBytes } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { newSecret, signText } from "../secrets";
import { baseHost, plainHost, usePendingDomain } from "./blog-addresses";
import { type Blog, blogUrl } from "./blogs";

const PURPOSE = "domain checks";
/** Includes redirects. */
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;
/** A valid proof is 43 bytes long. */
const MAX_PROOF_BYTES = 200;

export interface DomainState {
  /** This server responds at the domain, without certificate errors or a redirect to another host. */
  isFine: boolean;
  /** A server responds, but browsers reject its certificate. */
  isUntrusted?: boolean;
  message: string;
}

/** A random challenge follows this path. The response proves that the host is this server. */
export const PROOF = "/.well-known/platen/";

/** Only this server can sign the challenge. Returns null if the challenge has the wrong form. */
export function proofOf(platen: Platen, challenge: string): string | null {
  return /^[\w-]{16,64}$/.test(challenge) ? signText(platen, PURPOSE, challenge) : null;
}

export function checkDomain(platen: Platen, blog: Blog & { domain: string }, isForAdmin: boolean) {
  return checkAt(platen, blogUrl(platen, blog), blog.domain, isForAdmin);
}

/**
 * Activates the domain if it points to this server. Also tries http, because a web server may not get a
 * certificate before Platen uses the domain.
 * @throws Refusal like `usePendingDomain`
 */
export async function confirmDomain(platen: Platen, blog: Blog & { pendingDomain: string }, owner: Account) {
  const { pendingDomain: domain } = blog;
  const url = blogUrl(platen, { ...blog, domain });
  const [state, plain] = (await Promise.all(
    [url, `http://${domain}/`].map((each) => checkAt(platen, each, domain, owner.isAdmin)),
  )) as [DomainState, DomainState];
  if (!state.isFine && !plain.isFine) return state;
  inTransaction(platen, () => usePendingDomain(platen, blog, domain, owner));
  if (state.isFine) return state;
  const change = `${domain} points to this server, and the blog uses this domain from now on.`;
  return { ...state, message: `${change} ${state.message}` };
}

async function checkAt(platen: Platen, url: string, domain: string, isForAdmin: boolean) {
  const challenge = newSecret();
  const response = await guardedClient(platen.config).send({
    url: new URL(PROOF + challenge, url).href,
    within: TIMEOUT_MS,
    redirects: MAX_REDIRECTS,
    isForAdmin,
  });
  if ("failed" in response) {
    const isUntrusted = response.kind === "untrusted";
    return { isFine: false, isUntrusted, message: await failureReason(platen, domain, response, isForAdmin) };
  }
  const proof = Buffer.from(await firstBytes(response, MAX_PROOF_BYTES));
  const host = plainHost(new URL(response.url));
  if (proof.toString().trim() === proofOf(platen, challenge))
    return host === domain
      ? { isFine: true, message: `Readers can reach the blog at ${url}.` }
      : { isFine: false, message: `${domain} redirects to ${host} instead of this server.` };
  const resolved = await resolvedAddresses(platen, domain, isForAdmin);
  const message = `${domain} responds with status ${response.statusCode}, but is not this server.${resolved}`;
  return { isFine: false, message };
}

async function failureReason(platen: Platen, domain: string, { failed, kind }: Failure, isForAdmin: boolean) {
  if (kind === "refused" && !isForAdmin)
    return `${domain} has no public address: its DNS record is missing, has not propagated yet, or points to a private address.`;
  const places = await addressesOf(domain, isForAdmin);
  if (places.length === 0)
    return `${domain} does not resolve: its DNS record is missing or has not propagated yet.`;
  if (kind === "refused") return `${domain} cannot be reached from this server: ${failed}.`;
  if (kind === "untrusted")
    return `${domain} responds, but browsers reject its certificate: ${failed.replace(/[.:]\s*$/, "")}.`;
  return `Nothing responds at ${domain}: ${failed}.${await resolvedAddresses(platen, domain, isForAdmin)}`;
}

async function resolvedAddresses(platen: Platen, domain: string, isForAdmin: boolean): Promise<string> {
  const [addresses, ours] = (await Promise.all(
    [domain, baseHost(platen)].map((host) => addressesOf(host, isForAdmin)),
  )) as [string[], string[]];
  if (addresses.length === 0) return "";
  const sentence = ` ${domain} resolves to ${addresses.slice(0, 3).join(", ")}`;
  const isElsewhere = ours.length > 0 && !addresses.some((address) => ours.includes(address));
  return isElsewhere
    ? `${sentence}; ${baseHost(platen)} is at ${ours.slice(0, 3).join(", ")}.`
    : `${sentence}.`;
}

/** Authors must not learn private addresses. */
async function addressesOf(host: string, isForAdmin: boolean): Promise<string[]> {
  try {
    const addresses = (await systemResolve(host)).map(({ address }) => address);
    return isForAdmin ? addresses : addresses.filter((address) => !specialAddressKind(address));
  } catch {
    return [];
  }
}
