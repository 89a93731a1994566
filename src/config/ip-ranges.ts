import { BlockList, isIP } from "node:net";

/** Kind of address → its ranges, most of them from IANA's special-purpose registries (RFC 6890). */
const SPECIAL_RANGES: Record<string, string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  "shared (carrier-grade NAT)": ["100.64.0.0/10"],
  unspecified: ["0.0.0.0/8", "::/128"],
  broadcast: ["255.255.255.255/32"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  documentation: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  // Azure's platform services. Their address looks like a public one.
  "cloud's metadata": ["168.63.129.16/32"],
  // Protocol assignments (including Teredo), 6to4 relays, benchmarks, future use.
  reserved: ["192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4", "2001::/23"],
};

/** Global unicast addresses, and two prefixes outside them that embed IPv4 addresses. */
const ALLOCATED_IPV6 = ["2000::/3", "::ffff:0:0/96", "64:ff9b::/96"];

/** Each BlockList is built on first use, to save memory. */
const lists = new Map<string[], BlockList>();

function isIn(ranges: string[], address: string): boolean {
  return includesAddress(lists.getOrInsertComputed(ranges, toBlockList), address);
}

/** @returns a kind such as "loopback" or "private"; null for a public address */
export function specialAddressKind(address: string): string | null {
  for (const [kind, ranges] of Object.entries(SPECIAL_RANGES)) if (isIn(ranges, address)) return kind;
  return isIP(address) === 4 || isIn(ALLOCATED_IPV6, address) ? null : "reserved";
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || specialAddressKind(host.replace(/^\[(.+)\]$/, "$1")) === "loopback";
}

/** An IPv4 range also matches the IPv6 addresses that embed its addresses: mapped, NAT64 and 6to4. */
export function toBlockList(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start, length] = splitRange(range);
    list.addSubnet(start, length, isIP(start) === 4 ? "ipv4" : "ipv6");
    if (isIP(start) !== 4) continue;
    // BlockList itself matches ::ffff:0:0/96, but neither NAT64 (RFC 6052) nor 6to4 (RFC 3056).
    list.addSubnet(`64:ff9b::${ipv4ToHex(start)}`, 96 + length, "ipv6");
    list.addSubnet(`2002:${ipv4ToHex(start)}::`, 16 + length, "ipv6");
  }
  return list;
}

export function includesAddress(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

export function isRange(text: string): boolean {
  const [start, length] = splitRange(text);
  return isIP(start) !== 0 && /^[^/]+(\/\d{1,3})?$/.test(text) && length <= addressBits(start);
}

function splitRange(range: string): [start: string, length: number] {
  const [start = "", length] = range.split("/");
  return [start, length === undefined ? addressBits(start) : Number(length)];
}

function addressBits(address: string): number {
  return isIP(address) === 4 ? 32 : 128;
}

/** "10.0.0.5" → "0a00:0005" */
function ipv4ToHex(address: string): string {
  return Buffer.from(address.split(".").map(Number)).toString("hex").replace(/^..../, "$&:");
}
