import { expect, test } from "bun:test";
import { callOf } from "../../src/http/requests/call";
import { clientAddress, requestBase, requestHost } from "../../src/http/requests/client-address";
import { startPlaten } from "../support/platen";

const peerAt = (address: string) => ({ requestIP: () => ({ address }) });
const forwardedHeader = (addresses: string, host = "shop.test") =>
  new Request("http://blog.test/", { headers: { "x-forwarded-for": addresses, "x-forwarded-host": host } });

test("X-Forwarded-For of a direct client is ignored", () => {
  const { platen } = startPlaten();
  expect(clientAddress(callOf(platen, forwardedHeader("198.51.100.1"), peerAt("203.0.113.7")))).toBe(
    "203.0.113.7",
  );
  expect(requestHost(callOf(platen, forwardedHeader("198.51.100.1"), peerAt("203.0.113.7")))).toBe(
    "blog.test",
  );
});

test("behind a local proxy, the client is the last address that the proxy added", () => {
  const { platen } = startPlaten();
  for (const proxy of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    expect(clientAddress(callOf(platen, forwardedHeader("10.9.9.9, 198.51.100.1"), peerAt(proxy)))).toBe(
      "198.51.100.1",
    );
  expect(requestHost(callOf(platen, forwardedHeader("198.51.100.1"), peerAt("127.0.0.1")))).toBe("shop.test");
});

test("trusted proxies are skipped, by address or range", () => {
  const { platen } = startPlaten({ trustProxy: ["10.0.0.0/8", "192.0.2.5"] });
  const request = forwardedHeader("198.51.100.1, 10.1.2.3, 192.0.2.5");
  expect(clientAddress(callOf(platen, request, peerAt("10.0.0.1")))).toBe("198.51.100.1");
});

test("ports and brackets are removed from an address", () => {
  const { platen } = startPlaten();
  expect(clientAddress(callOf(platen, forwardedHeader("198.51.100.1:4711"), peerAt("::1")))).toBe(
    "198.51.100.1",
  );
  expect(clientAddress(callOf(platen, forwardedHeader("[2001:db8::1]:4711"), peerAt("::1")))).toBe(
    "2001:db8::1",
  );
});

test("an IPv4-mapped IPv6 address is the IPv4 address", () => {
  const { platen } = startPlaten({ trustProxy: ["192.0.2.0/24"] });
  const request = forwardedHeader("::FFFF:198.51.100.1");
  expect(clientAddress(callOf(platen, request, peerAt("::ffff:203.0.113.7")))).toBe("203.0.113.7");
  for (const proxy of ["::ffff:127.0.0.1", "::ffff:192.0.2.5"])
    expect(clientAddress(callOf(platen, request, peerAt(proxy)))).toBe("198.51.100.1");
});

test("an invalid address ends the chain: the proxy that sent it is the client", () => {
  const { platen } = startPlaten();
  for (const header of ["198.51.100.1, unknown", "198.51.100.1, _hidden", "198.51.100.1,", ""])
    expect(clientAddress(callOf(platen, forwardedHeader(header), peerAt("127.0.0.1")))).toBe("127.0.0.1");
});

test("host and scheme are those of the first trusted proxy; values of the client are ignored", () => {
  const { platen } = startPlaten({ trustProxy: ["10.0.0.0/8"] });
  const baseOf = (peer: string, headers: Record<string, string>) =>
    requestBase(callOf(platen, new Request("http://blog.test/", { headers }), peerAt(peer))).href;
  const ways: [peer: string, hops: string, host: string, proto: string, base: string][] = [
    // Some proxies append to the list, as Apache does, others replace it.
    ["127.0.0.1", "198.51.100.1", "evil.test, shop.test", "https, http", "http://shop.test/"],
    ["127.0.0.1", "198.51.100.1", "shop.test", "https", "https://shop.test/"],
    // A second proxy in front, which uses another host name.
    [
      "127.0.0.1",
      "evil, 198.51.100.1, 10.0.0.1",
      "evil.test, shop.test, inner",
      "https, http",
      "https://shop.test/",
    ],
    ["127.0.0.1", "198.51.100.1, 10.0.0.1", "shop.test", "https", "https://shop.test/"],
    // The proxy in front is not trusted, so its values are ignored.
    ["127.0.0.1", "198.51.100.1, 192.0.2.9", "evil.test, shop.test", "http", "http://shop.test/"],
    ["192.0.2.9", "198.51.100.1", "evil.test", "https", "http://blog.test/"],
    // Without a host.
    ["127.0.0.1", "198.51.100.1", "shop test", "https", "http://unknown.invalid/"],
  ];
  for (const [peer, hops, host, proto, base] of ways) {
    const headers = { "x-forwarded-for": hops, "x-forwarded-host": host, "x-forwarded-proto": proto };
    expect([hops, host, baseOf(peer, headers)]).toEqual([hops, host, base]);
  }
});
