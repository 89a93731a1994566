import type { LookupAddress } from "node:dns";
import { type BlockList, isIP } from "node:net";
import { type Config, SettingError } from "../config/config";
import { includesAddress, isRange, specialAddressKind, toBlockList } from "../config/ip-ranges";
import type { Failure } from "./http-client";

/** Returns all addresses of a host name. Rejects like `dns.lookup`. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

interface AllowedHosts {
  /** Entries of PLATEN_PRIVATE_HOSTS; null for accounts that may not use private hosts. */
  readonly setting: string[] | null;
  readonly names: Set<string>;
  readonly ranges: BlockList;
}

/** @throws SettingError if an entry is not a host name, address or CIDR range */
export function allowedHosts({ privateHosts }: Pick<Config, "privateHosts">): AllowedHosts {
  const entries = privateHosts.map((entry) => entry.replace(/^\[(.*)\]$/, "$1"));
  return {
    setting: privateHosts,
    names: new Set(entries.filter((entry) => !isRange(entry)).map(privateHostName)),
    ranges: toBlockList(entries.filter(isRange)),
  };
}

export const NO_PRIVATE_HOSTS: AllowedHosts = { setting: null, names: new Set(), ranges: toBlockList([]) };

function privateHostName(entry: string): string {
  const url = /[:/@?#*\\%]/.test(entry) ? null : URL.parse(`http://${entry}`);
  if (!url)
    throw new SettingError(
      `PLATEN_PRIVATE_HOSTS includes "${entry}"; it must be host names, addresses and CIDR ranges, separated by commas.`,
    );
  return hostOf(url);
}

/** The caller must not resolve the name again, because the second result may differ (DNS rebinding). */
export async function allowedAddresses(url: URL, allowed: AllowedHosts, resolve: Resolve) {
  if (!/^https?:$/.test(url.protocol)) return refused(`${url.protocol} is not http: or https:`);
  if (url.username || url.password) return refused("an address must not contain a user name or password");
  const host = hostOf(url);
  const addresses = await addressesOf(host, resolve);
  const isForAdmin = allowed.setting !== null;
  // Private and nonexistent names get the same error, so authors cannot probe the server's network.
  const noPublicAddress = refused(`${host} has no public address`);
  if ("failed" in addresses) return isForAdmin ? addresses : noPublicAddress;
  if (allowed.names.has(host)) return addresses;
  const open = addresses.filter(
    ({ address }) => !specialAddressKind(address) || includesAddress(allowed.ranges, address),
  );
  if (open.length > 0) return open;
  return isForAdmin || isIP(host) ? privateAddressFailure(host, addresses, allowed) : noPublicAddress;
}

/** Without a trailing dot or IPv6 brackets. */
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
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTFOUND"
      ? nothing
      : { failed: `${host} could not be looked up (${code})`, kind: "unreachable" };
  }
}

export const systemResolve: Resolve = async (host) => {
  // Loaded on demand, for a fast start.
  const { promises } = require("node:dns") as typeof import("node:dns");
  return await promises.lookup(host, { all: true });
};

function privateAddressFailure(host: string, addresses: LookupAddress[], { setting }: AllowedHosts): Failure {
  const { address } = addresses[0] as LookupAddress;
  const kind = specialAddressKind(address) as string;
  const newSetting = setting && [...setting, host].join(",");
  const advice = newSetting
    ? `set PLATEN_PRIVATE_HOSTS=${newSetting} to allow it`
    : "only admins can be allowed to reach it";
  return refused(`${address} is ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} address; ${advice}`);
}

export const refused = (failed: string): Failure => ({ failed, kind: "refused" });
