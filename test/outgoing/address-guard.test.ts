import { expect, test } from "bun:test";
import { SettingError } from "../../src/config/config";
import { specialAddressKind } from "../../src/config/ip-ranges";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { AN_HOUR, expectResponse, receive, resolverOf, send, textOf } from "./receivers";

const LOOPBACK_SPELLINGS = [
  ["127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.255.255.254"],
  ["2130706433", "017700000001", "0x7f000001", "0x7f.1", "0177.0.0.1", "0x7F.0x0.0x0.0x1"],
  ["%31%32%37.0.0.1", "１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1"],
  ["[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]", "[::127.0.0.1]"],
  ["[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]"],
].flat();

const OTHER_TARGETS = [
  [
    "0",
    "0.0.0.0",
    "0x0",
    "[::]",
    "10.0.0.5",
    "10.5",
    "167772165",
    "172.16.0.1",
    "192.168.1.1",
    "192.168.257",
  ],
  ["169.254.169.254", "2852039166", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"],
  ["192.0.2.1", "198.18.0.1", "203.0.113.9", "[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[ff02::1]"],
  ["[2001:db8::1]", "[::ffff:10.0.0.5]", "[::ffff:169.254.169.254]"],
].flat();

test("every notation of a non-public address is rejected, over http and https", async () => {
  for (const host of [...LOOPBACK_SPELLINGS, ...OTHER_TARGETS])
    for (const scheme of ["http", "https"]) {
      const outcome = await send({ url: `${scheme}://${host}:9/` }, { privateHosts: [] });
      expect([host, outcome]).toEqual([host, { failed: expect.any(String), kind: "refused" }]);
    }
});

test("a name that resolves to a non-public address is rejected, and nothing is sent", async () => {
  const { port, seen } = receive(() => new Response("secret"));
  for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    const resolve = resolverOf({ "rebound.example": [address] });
    const outcome = await send({ url: `http://rebound.example:${port}/` }, { privateHosts: [], resolve });
    expect(outcome).toMatchObject({ kind: "refused" });
  }
  expect(seen).toEqual([]);
});

test("addresses from the system resolver are checked too", async () => {
  const { port, seen } = receive(() => new Response("secret"));
  const outcome = await guardedClient({ privateHosts: [] }).send({
    method: "GET",
    url: `http://localhost:${port}/`,
    isForAdmin: true,
    within: AN_HOUR,
  });
  expect(outcome).toMatchObject({ kind: "refused", failed: expect.stringContaining("loopback") });
  expect(seen).toEqual([]);
});

test("the connection uses the checked address, even if the name resolves to another one later", async () => {
  const checked = receive(() => new Response("checked"), { hostname: "127.0.0.2" });
  const turned = receive(() => new Response("turned"), { port: checked.port });
  const answers = ["127.0.0.2", "127.0.0.1"];
  let lookups = 0;
  const resolve = async () => [{ address: answers[Math.min(lookups++, 1)] as string, family: 4 }];
  const turning = { privateHosts: ["127.0.0.2"], resolve };

  const url = `http://turning.example:${checked.port}/`;
  expect(await textOf(await send({ url }, turning))).toBe("checked");
  expect(await send({ url }, turning)).toMatchObject({ kind: "refused" });
  expect(turned.seen).toEqual([]);
});

test("only the public addresses of a name are tried", async () => {
  const closed = receive(() => new Response("closed"));
  const open = receive(() => new Response("open"), { hostname: "127.0.0.2", port: closed.port });
  const resolve = resolverOf({ "both.example": ["127.0.0.1", "127.0.0.2"] });
  const url = `http://both.example:${open.port}/`;
  expect(await textOf(await send({ url }, { privateHosts: ["127.0.0.2"], resolve }))).toBe("open");
  expect(closed.seen).toEqual([]);
});

test("PLATEN_PRIVATE_HOSTS allows addresses for admins only", async () => {
  const { port, seen } = receive(() => new Response("secret"));
  const url = `http://127.0.0.1:${port}/`;
  expect(await send({ url, isForAdmin: false }, { privateHosts: ["127.0.0.1", "127.0.0.0/8"] })).toEqual({
    failed: "127.0.0.1 is a loopback address; only admins can be allowed to reach it",
    kind: "refused",
  });
  expect(seen).toEqual([]);
  expect(await textOf(await send({ url, isForAdmin: true }))).toBe("secret");
});

test.each([
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "169.254.170.2",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:42::42",
])("a cloud's metadata service is never reached: %s", (address) => {
  expect(specialAddressKind(address)).not.toBeNull();
  const spelledAnew = address.includes(":") ? address : `::ffff:${address}`;
  expect(specialAddressKind(spelledAnew)).not.toBeNull();
});

test("the error says what to set, including current values", async () => {
  const resolve = resolverOf({ "build.lan": ["10.0.0.5"] });
  expect(await send({ url: "http://Build.LAN./hook" }, { privateHosts: [], resolve })).toEqual({
    failed: "10.0.0.5 is a private address; set PLATEN_PRIVATE_HOSTS=build.lan to allow it",
    kind: "refused",
  });
  expect(await send({ url: "http://[::1]/" }, { privateHosts: ["nas.lan", "10.0.0.0/8"] })).toEqual({
    failed: "::1 is a loopback address; set PLATEN_PRIVATE_HOSTS=nas.lan,10.0.0.0/8,::1 to allow it",
    kind: "refused",
  });
});

test("a name in PLATEN_PRIVATE_HOSTS allows that host name, but not its address by another name", async () => {
  const { port } = receive(() => new Response("built"));
  const resolve = resolverOf({ "build.lan": ["127.0.0.1"], "other.lan": ["127.0.0.1"] });
  for (const entry of ["build.lan", "BUILD.lan", "build.lan."]) {
    const open = { privateHosts: [entry], resolve };
    expect(await textOf(await send({ url: `http://build.lan:${port}/` }, open))).toBe("built");
    for (const host of ["other.lan", "127.0.0.1", "sub.build.lan"])
      expect(await send({ url: `http://${host}:${port}/` }, open)).not.toHaveProperty("answered");
  }
});

test("an address or range in PLATEN_PRIVATE_HOSTS allows those addresses by any name", async () => {
  const { port } = receive(() => new Response("built"));
  const resolve = resolverOf({ "build.lan": ["127.0.0.1"] });
  for (const entry of ["127.0.0.1", "127.0.0.0/8", "127.0.0.0/31"])
    for (const host of ["build.lan", "127.0.0.1", "2130706433"])
      expect(
        expectResponse(await send({ url: `http://${host}:${port}/` }, { privateHosts: [entry], resolve }))
          .statusCode,
      ).toBe(200);
  for (const entry of ["127.0.0.2", "127.0.0.2/31", "10.0.0.0/8", "::1"])
    expect(
      await send({ url: `http://build.lan:${port}/` }, { privateHosts: [entry], resolve }),
    ).toMatchObject({
      kind: "refused",
    });
});

test("an entry without effect is reported at start", () => {
  for (const entry of [
    "http://build.lan",
    "build.lan:8080",
    "*.lan",
    "10.0.0.0/33",
    "::1/129",
    "10.0.0/8",
    "a b",
  ])
    expect(() => guardedClient({ privateHosts: ["nas.lan", entry] })).toThrow(SettingError);
  expect(() =>
    guardedClient({ privateHosts: ["[fd00::5]", "büro.lan", "10.0.0.5", "fd00::/8"] }),
  ).not.toThrow();
});

test("only http and https URLs without user name and password are requested", async () => {
  for (const url of [
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "data:,x",
    "http://ada@8.8.8.8/",
    "http://:x@8.8.8.8/",
  ])
    expect([url, await send({ url })]).toEqual([url, { failed: expect.any(String), kind: "refused" }]);
  for (const url of ["", "/hook", "http://", "http://[::1", "http://256.256.256.256/"])
    expect(await send({ url })).toEqual({ failed: `"${url}" is not an address`, kind: "refused" });
});

test("authors get the same error for private and unknown host names", async () => {
  const resolve = resolverOf({ "build.lan": ["10.0.0.5"], "both.example": ["10.0.0.5", "fd00::1"] });
  for (const host of ["build.lan", "both.example", "nowhere.example"])
    expect(await send({ url: `http://${host}/`, isForAdmin: false }, { resolve })).toEqual({
      failed: `${host} has no public address`,
      kind: "refused",
    });
});

test("an unknown host name is unreachable, not refused", async () => {
  expect(await send({ url: "http://nowhere.example/" })).toEqual({
    failed: "there is no host nowhere.example",
    kind: "unreachable",
  });
});
