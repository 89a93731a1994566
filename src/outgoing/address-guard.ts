import type { LookupAddress } from "node:dns";
import { type BlockList, isIP } from "node:net";
import type { Config } from "../config/config";
import { includesAddress, isRange, specialAddressKind, toBlockList } from "../config/ip-ranges";
import { SettingError } from "../config/setting-values";
import type { Failure } from "./http-client";

/** Every address of a host name; rejects as `dns.lookup` does. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** The private hosts that PLATEN_PRIVATE_HOSTS allows. */
export interface AllowedHosts {
  /** The entries as they were set, for the failure that says what to add; null for whom none may be added. */
  readonly setting: string[] | null;
  readonly names: Set<string>;
  readonly ranges: BlockList;
}

/** @throws SettingError for an entry that is no host name, address or CIDR range: it would open nothing, silently */
export function allowedHosts({ privateHosts }: Pick<Config, "privateHosts">): AllowedHosts {
  const entries = privateHosts.map((entry) => entry.replace(/^\[(.*)\]$/, "$1"));
  return {
    setting: privateHosts,
    names: new Set(entries.filter((entry) => !isRange(entry)).map(nameOf)),
    ranges: toBlockList(entries.filter(isRange)),
  };
}

export const NO_PRIVATE_HOSTS: AllowedHosts = { setting: null, names: new Set(), ranges: toBlockList([]) };

function nameOf(entry: string): string {
  const url = /[:/@?#*\\%]/.test(entry) ? null : URL.parse(`http://${entry}`);
  if (!url)
    throw new SettingError(
      `PLATEN_PRIVATE_HOSTS includesAddress "${entry}"; it takes host names, addresses and CIDR ranges, between commas.`,
    );
  return hostOf(url);
}

/**
 * The addresses that a request to this URL may be sent to. The connection must be made to one of these, and the name not
 * be looked up again: the second answer may be another one (DNS rebinding).
 */
export async function allowedAddresses(
  url: URL,
  allowed: AllowedHosts,
  resolve: Resolve,
): Promise<LookupAddress[] | Failure> {
  if (!/^https?:$/.test(url.protocol)) return refused(`${url.protocol} is not http: or https:`);
  if (url.username || url.password) return refused("an address must not hold a user name or password");
  const host = hostOf(url);
  const addresses = await addressesOf(host, resolve);
  const isForAdmin = allowed.setting !== null;
  if ("failed" in addresses) return isForAdmin ? addresses : noPublicAddress(host);
  if (allowed.names.has(host)) return addresses;
  const open = addresses.filter(
    ({ address }) => !specialAddressKind(address) || includesAddress(allowed.ranges, address),
  );
  if (open.length > 0) return open;
  return isForAdmin || isIP(host) ? privateAddressFailure(host, addresses, allowed) : noPublicAddress(host);
}

/** The host of a URL: a name without its last dot, or an address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

async function addressesOf(host: string, resolve: Resolve): Promise<LookupAddress[] | Failure> {
  const family = isIP(host);
  if (family) return [{ address: host, family }];
  const nothing: Failure = { failed: `there is no host ${host}`, kind: "unreachable" };
  try {
    const addresses = await resolve(host);
    return addresses.length > 0 ? addresses : nothing;
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    return code === "ENOTFOUND"
      ? nothing
      : { failed: `${host} could not be looked up (${code})`, kind: "unreachable" };
  }
}

/** How long the addresses of a name are used without asking for them again, in milliseconds. */
const REMEMBERED_FOR = 1000;
const MOST_REMEMBERED = 100;

/** Asks for a name's addresses once for many requests that follow each other. */
export function resolvingRarely(resolve: Resolve): Resolve {
  const known = new Map<string, { addresses: ReturnType<Resolve>; until: number }>();
  return (host) => {
    const now = performance.now();
    const found = known.get(host);
    if (found && now < found.until) return found.addresses;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const addresses = resolve(host);
    known.set(host, { addresses, until: now + REMEMBERED_FOR });
    return addresses;
  };
}

export const systemResolve: Resolve = async (host) => {
  // Loaded when it is needed: the server starts without it.
  const { promises } = require("node:dns") as typeof import("node:dns");
  return await promises.lookup(host, { all: true });
};

/** The same for names that are private and that nobody has: an author learns no names of the server's own network. */
function noPublicAddress(host: string): Failure {
  return refused(`${host} leads to no public address`);
}

function privateAddressFailure(host: string, addresses: LookupAddress[], { setting }: AllowedHosts): Failure {
  const { address } = addresses[0] as LookupAddress;
  const kind = specialAddressKind(address) as string;
  const wanted = setting && [...setting, host].join(",");
  const advice = wanted ? `set PLATEN_PRIVATE_HOSTS=${wanted} to allow it` : "only admins may be allowed it";
  return refused(`${address} is ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} address; ${advice}`);
}

const refused = (failed: string): Failure => ({ failed, kind: "refused" });
