import { expect, test } from "bun:test";
import { isLoopbackHost, specialAddressKind } from "../src/config/ip-ranges";

const PUBLIC = [
  ["8.8.8.8", "2606:4700::1111", "3fff:1000::1"],
  ["9.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.128.0.0"],
  ["126.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.255.0.0"],
  ["172.15.255.255", "172.32.0.0"],
  ["192.167.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.20.0.0"],
  ["223.255.255.255"],
  ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"],
].flat();

const GUARDED: Record<string, string[]> = {
  loopback: ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "2002:7f00:1::"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.169.254"],
  "shared (carrier-grade NAT)": ["100.64.0.0", "100.127.255.255"],
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  broadcast: ["255.255.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  reserved: ["192.0.0.1", "198.18.0.0", "198.19.255.255", "240.0.0.0", "2001::1", "100::1", "4000::1"],
};

test("public addresses are allowed, up to the edges of every range", () => {
  expect(PUBLIC.filter((address) => specialAddressKind(address) !== null)).toEqual([]);
});

test("addresses that are not public are classified", () => {
  for (const [kind, addresses] of Object.entries(GUARDED))
    for (const address of addresses) expect([address, specialAddressKind(address)]).toEqual([address, kind]);
});

test("IPv4 addresses in IPv6 prefixes are found", () => {
  for (const address of ["::ffff:10.0.0.5", "64:ff9b::10.0.0.5", "64:ff9b::a00:5", "2002:a00:5::1"])
    expect([address, specialAddressKind(address)]).toEqual([address, "private"]);
});

test("unassigned IPv6 ranges are reserved, including old notations of IPv4", () => {
  for (const address of ["::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b:1::1", "not an address"])
    expect([address, specialAddressKind(address)]).toEqual([address, "reserved"]);
});

test("unique-local and site-local IPv6 are private", () => {
  for (const address of ["fc00::1", "fdff::1", "fec0::1"])
    expect(specialAddressKind(address)).toBe("private");
});

test("a host is local by its name or loopback address, not by a prefix of its name", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.9.10", "[::1]", "::1"])
    expect([host, isLoopbackHost(host)]).toEqual([host, true]);
  for (const host of [
    "localhost.example",
    "127.example.com",
    "10.0.0.5",
    "[2001:db8::1]",
    "blog.example",
    "",
  ])
    expect([host, isLoopbackHost(host)]).toEqual([host, false]);
});
