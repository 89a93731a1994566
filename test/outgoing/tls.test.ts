import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import tls from "node:tls";
import { temporaryFolder } from "../support/temporary";
import { receive, resolverOf, send, textOf } from "./receivers";

const folder = temporaryFolder("tls");
const trustedBefore = tls.getCACertificates("default");
const resolve = resolverOf({ "good.example": ["127.0.0.1"], "bad.example": ["127.0.0.1"] });
let own: { key: string; cert: string };

describe.skipIf(!Bun.which("openssl"))("over TLS", () => {
  beforeAll(() => {
    own = selfSigned("DNS:good.example,IP:127.0.0.1");
  });

  afterEach(() => {
    tls.setDefaultCACertificates(trustedBefore);
  });

  test("an untrusted certificate is rejected, and nothing is sent", async () => {
    const { port, seen } = receive(() => new Response("secret"), { tls: own });
    const outcome = await send({ url: `https://good.example:${port}/` }, { resolve });
    expect(outcome).toEqual({ failed: expect.stringContaining("self signed"), kind: "untrusted" });
    expect(seen).toEqual([]);
  });

  test("the environment cannot turn the check off", async () => {
    const { port } = receive(() => new Response("secret"), { tls: own });
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    const outcome = await send({ url: `https://good.example:${port}/` }, { resolve });
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    expect(outcome).toMatchObject({ kind: "untrusted" });
  });

  test("a certificate must be valid for the host of the URL, not for the address", async () => {
    tls.setDefaultCACertificates([...trustedBefore, own.cert]);
    const { port, seen } = receive(() => new Response("secret"), { tls: own });
    expect(await textOf(await send({ url: `https://good.example:${port}/` }, { resolve }))).toBe("secret");
    expect(await textOf(await send({ url: `https://good.example.:${port}/` }, { resolve }))).toBe("secret");
    expect(await textOf(await send({ url: `https://127.0.0.1:${port}/` }, { resolve }))).toBe("secret");
    expect(seen).toHaveLength(3);
    expect(await send({ url: `https://bad.example:${port}/` }, { resolve })).toEqual({
      failed: expect.stringContaining("bad.example"),
      kind: "untrusted",
    });
    expect(seen).toHaveLength(3);
  });

  test("the host name is sent to the server (SNI)", async () => {
    const other = selfSigned("DNS:other.example");
    tls.setDefaultCACertificates([...trustedBefore, own.cert]);
    // Without a host name the server would send the other certificate.
    const { port } = receive(() => new Response("by name"), {
      tls: [
        { ...other, serverName: "other.example" },
        { ...own, serverName: "good.example" },
      ] as never,
    });
    expect(await textOf(await send({ url: `https://good.example:${port}/` }, { resolve }))).toBe("by name");
  });
});

function selfSigned(names: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...[
      "-keyout",
      key,
      "-out",
      cert,
      "-days",
      "2",
      "-subj",
      "/CN=test",
      "-addext",
      `subjectAltName=${names}`,
    ],
  ]);
  if (!made.success) throw new Error(made.stderr.toString());
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
