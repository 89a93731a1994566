import { BlockList, isIP } from "node:net";

/**
 * What no stranger's URL may lead to: IANA's special-purpose registries (RFC 6890 and its updates) and multicast.
 * Kind, as a refusal names it → ranges.
 */
const GUARDED: Record<string, string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  "shared (carrier-grade NAT)": ["100.64.0.0/10"],
  unspecified: ["0.0.0.0/8", "::/128"],
  broadcast: ["255.255.255.255/32"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  documentation: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  // Azure's; the other clouds' metadata services are on link-local, private, shared or reserved addresses.
  "cloud's metadata": ["168.63.129.16/32"],
  // The rest: protocol assignments (Teredo among them), 6to4 relays, benchmarks, future use.
  reserved: ["192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4", "2001::/23"],
};

/** All that is given out of IPv6, and the two prefixes that stand for IPv4 addresses; what lies outside is nobody's. */
const GIVEN_OUT = ["2000::/3", "::ffff:0:0/96", "64:ff9b::/96"];

const guarded = Object.entries(GUARDED).map(([kind, ranges]) => ({ kind, list: toBlockList(ranges) }));
const givenOut = toBlockList(GIVEN_OUT);

/** What kind of address this is ("loopback", "private", …), or null for one in the public internet. */
export function specialAddressKind(address: string): string | null {
  const kind = guarded.find(({ list }) => includesAddress(list, address))?.kind;
  if (kind) return kind;
  return isIP(address) === 4 || includesAddress(givenOut, address) ? null : "reserved";
}

/** Whether the host of a URL, or an address, is this machine's own, by which nobody else reaches it. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || specialAddressKind(host.replace(/^\[(.+)\]$/, "$1")) === "loopback";
}

/** A list of CIDR ranges; an IPv4 range stands for its IPv6 spellings too. */
export function toBlockList(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [start, length] = partsOf(range);
    list.addSubnet(start, length, isIP(start) === 4 ? "ipv4" : "ipv6");
    if (isIP(start) !== 4) continue;
    // ::ffff:0:0/96 the list knows by itself, but neither NAT64 (RFC 6052) nor 6to4 (RFC 3056).
    list.addSubnet(`64:ff9b::${inHex(start)}`, 96 + length, "ipv6");
    list.addSubnet(`2002:${inHex(start)}::`, 16 + length, "ipv6");
  }
  return list;
}

export function includesAddress(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Whether this is an address ("10.0.0.5") or a CIDR range ("10.0.0.0/8"). */
export function isRange(text: string): boolean {
  const [start, length] = partsOf(text);
  return isIP(start) !== 0 && /^[^/]+(\/\d{1,3})?$/.test(text) && length <= widthOf(start);
}

function partsOf(range: string): [start: string, length: number] {
  const [start = "", length] = range.split("/");
  return [start, length === undefined ? widthOf(start) : Number(length)];
}

function widthOf(address: string): number {
  return isIP(address) === 4 ? 32 : 128;
}

/** "10.0.0.5" → "0a00:0005" */
function inHex(address: string): string {
  return Buffer.from(address.split(".").map(Number)).toString("hex").replace(/^..../, "$&:");
}
