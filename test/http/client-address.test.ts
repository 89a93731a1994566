import { expect, test } from "bun:test";
import { callOf } from "../../src/http/requests/call";
import { clientAddress, requestHost } from "../../src/http/requests/client-address";
import { startPlaten } from "../support/platen";

const from = (address: string) => ({ requestIP: () => ({ address }) });
const forwarded = (addresses: string, host = "shop.test") =>
  new Request("http://blog.test/", { headers: { "x-forwarded-for": addresses, "x-forwarded-host": host } });

test("a stranger's X-Forwarded-For counts for nothing", () => {
  const { platen } = startPlaten();
  expect(clientAddress(callOf(platen, forwarded("198.51.100.1"), from("203.0.113.7")))).toBe("203.0.113.7");
  expect(requestHost(callOf(platen, forwarded("198.51.100.1"), from("203.0.113.7")))).toBe("blog.test");
});

test("behind a proxy on this machine the client is the last address the proxy did not make up", () => {
  const { platen } = startPlaten();
  for (const proxy of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    expect(clientAddress(callOf(platen, forwarded("10.9.9.9, 198.51.100.1"), from(proxy)))).toBe(
      "198.51.100.1",
    );
  expect(requestHost(callOf(platen, forwarded("198.51.100.1"), from("127.0.0.1")))).toBe("shop.test");
});

test("proxies that the owner trusts are passed over, by address or range", () => {
  const { platen } = startPlaten({ trustProxy: ["10.0.0.0/8", "192.0.2.5"] });
  const request = forwarded("198.51.100.1, 10.1.2.3, 192.0.2.5");
  expect(clientAddress(callOf(platen, request, from("10.0.0.1")))).toBe("198.51.100.1");
});

test("ports and brackets around an address are not part of it", () => {
  const { platen } = startPlaten();
  expect(clientAddress(callOf(platen, forwarded("198.51.100.1:4711"), from("::1")))).toBe("198.51.100.1");
  expect(clientAddress(callOf(platen, forwarded("[2001:db8::1]:4711"), from("::1")))).toBe("2001:db8::1");
});
