import { describe, expect, test } from "bun:test";
import { type Client, fetchClient } from "../../src/indieauth/client-metadata";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { receive, resolverOf } from "../outgoing/receivers";
import { enter, startSignIn } from "../owner/signing-in";
import { authPath, consent, exchange } from "./app";

const LOCAL = { "app.example": ["127.0.0.1"], "evil.example": ["127.0.0.1"] };

/** What Platen reads from an app whose site returns this for every request. */
async function clientDescribedBy(
  body: string | Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<Client> {
  const isJson = typeof body !== "string";
  const { port } = receive((request) => {
    const id = `http://app.example:${new URL(request.url).port}/app`;
    const text = isJson ? JSON.stringify({ client_id: id, ...body }) : body;
    return new Response(text, {
      headers: { "content-type": isJson ? "application/json" : "text/html", ...headers },
    });
  });
  return withoutPort(port, await ask(`http://app.example:${port}/app`));
}

const ask = (clientId: string, privateHosts = ["127.0.0.1"]) =>
  fetchClient(guardedClient({ privateHosts }, { resolve: resolverOf(LOCAL) }), clientId, true);

/** Ports vary. */
const withoutPort = (port: number, client: Client): Client =>
  JSON.parse(JSON.stringify(client).replaceAll(`:${port}`, ""));

const UNKNOWN = { id: "http://app.example/app", name: "app.example", logo: null, redirectUris: [] };

describe("the description of an app", () => {
  test("is read from JSON if its client_id matches", async () => {
    const description = {
      client_name: "  \u202EQuill\n Pen\u0007 ",
      logo_uri: "https://cdn.example/q.png",
      redirect_uris: ["https://other.example/cb", 7],
    };
    expect(await clientDescribedBy(description)).toEqual({
      ...UNKNOWN,
      name: "Quill Pen",
      logo: "https://cdn.example/q.png",
      redirectUris: ["https://other.example/cb"],
    });
    expect(await clientDescribedBy({ ...description, client_id: "http://app.example/other" })).toEqual(
      UNKNOWN,
    );
  });

  test("is limited, because an app may list any number of long addresses", async () => {
    const host = `https://a${"\u05B0\u0301\u0316\u0315".repeat(10_000)}.example/`;
    const redirect_uris = [host, ...Array.from({ length: 5000 }, (_, at) => `https://app.example/${at}`)];
    const began = performance.now();
    const client = await clientDescribedBy({ logo_uri: host, redirect_uris });
    expect(performance.now() - began).toBeLessThan(2000);
    expect(client.logo).toBe(null);
    expect(client.redirectUris).toEqual(redirect_uris.slice(1, 101));
  });

  test("is read from an h-app, with redirect_uris in links and in the Link header", async () => {
    const page = `<!doctype html><link rel="redirect_uri" href="/cb"><link rel=stylesheet href=/x.css>
      <div class="h-entry"><p class="p-name">Not this</p></div>
      <div class="h-app"><img class="u-logo" src="logo.png"><a class="u-url p-name" href="/">Quill <b>&amp; Co</b></a></div>
      <div class="h-app"><p class="p-name">Nor this</p></div><a rel="me redirect_uri" href="https://phone.example/cb">`;
    expect(
      await clientDescribedBy(page, { link: '</linked>; rel="redirect_uri", </x>; rel="icon"' }),
    ).toEqual({
      ...UNKNOWN,
      name: "Quill & Co",
      logo: "http://app.example/logo.png",
      redirectUris: ["http://app.example/linked", "http://app.example/cb", "https://phone.example/cb"],
    });
  });

  test("is ignored if it is invalid", async () => {
    const senseless: (string | Record<string, unknown>)[] = [
      "",
      "<",
      "<p>Hello",
      "<div>".repeat(50_000) + "</p>".repeat(50_000),
      { client_name: 7, logo_uri: {}, redirect_uris: "https://evil.example/" },
      { client_name: "", logo_uri: "javascript:alert(1)" },
      // In a content policy these would end a directive, add a policy, or allow every host.
      { logo_uri: "https://a;script-src.example/q.png" },
      { logo_uri: "https://a,b.example/q.png" },
      { logo_uri: "https://*/q.png" },
      { logo_uri: "https://'unsafe-inline'/q.png" },
    ];
    for (const body of senseless) expect(await clientDescribedBy(body)).toEqual(UNKNOWN);
    expect(await clientDescribedBy("{", { "content-type": "application/json" })).toEqual(UNKNOWN);
    expect(await clientDescribedBy("null", { "content-type": "application/json" })).toEqual(UNKNOWN);
    expect(await clientDescribedBy(`<p class="h-app">${"x".repeat(600 * 1024)}`)).toEqual(UNKNOWN);
    expect((await clientDescribedBy({ client_name: "x".repeat(5000) })).name).toBe("x".repeat(60));
  });

  test("is just its URL if it does not respond", async () => {
    const { port } = receive(() => new Response("no", { status: 500 }));
    expect((await ask(`http://app.example:${port}/app`)).redirectUris).toEqual([]);
    expect((await ask("http://nowhere.example/")).name).toBe("nowhere.example");
    expect((await ask(`http://app.example:${port}/`, [])).name).toBe(`app.example:${port}`);
  });

  test("is not accepted after a redirect to another host", async () => {
    const evil = receive(() => new Response('<link rel="redirect_uri" href="https://evil.example/cb">'));
    const app = receive((request) =>
      new URL(request.url).pathname === "/moved"
        ? Response.json({ client_id: `http://app.example:${app.port}/here`, client_name: "Moved" })
        : Response.redirect(
            request.url.endsWith("/here") ? "/moved" : `http://evil.example:${evil.port}/`,
            302,
          ),
    );
    const sent = await ask(`http://app.example:${app.port}/away`);
    expect([sent.name, sent.redirectUris]).toEqual([`app.example:${app.port}`, []]);
    expect((await ask(`http://app.example:${app.port}/here`)).name).toBe("Moved");
  });

  test.each(["http://127.0.0.1", "http://localhost", "http://app.localhost"])(
    "is not requested on loopback: %s",
    async (origin) => {
      const { port, seen } = receive(() => new Response("no"));
      const web = guardedClient({ privateHosts: ["127.0.0.1", "localhost"] });
      expect((await fetchClient(web, `${origin}:${port}/`, true)).name).toBe(
        `${new URL(origin).host}:${port}`,
      );
      expect(seen).toEqual([]);
    },
  );
});

describe("sign-in", () => {
  test("shows an app's name and icon, and accepts only its listed redirect_uri", async () => {
    const at = await startSignIn({}, LOCAL);
    const { port, seen } = receive((request) =>
      Response.json({
        client_id: `http://app.example:${new URL(request.url).port}/`,
        client_name: "Quill <b>",
        logo_uri: "https://cdn.example/q.png",
        redirect_uris: ["quill://signed-in", "https://other.example/cb?x=1"],
      }),
    );
    const client_id = `http://app.example:${port}/`;
    expect((await at.browser.get(authPath({ client_id, redirect_uri: client_id }))).status).toBe(302);
    expect(seen).toEqual([]);

    await enter(at.browser);
    const shown = await at.browser.get(authPath({ client_id, redirect_uri: "quill://signed-in" }));
    const page = await shown.text();
    expect(page).toContain("Quill &lt;b&gt;");
    expect(page).toContain('src="https://cdn.example/q.png"');
    const policy = shown.headers.get("content-security-policy") as string;
    expect(policy).toEndWith("img-src 'self' https://cdn.example");
    for (const redirect_uri of ["quill://signed-in/", "quill://other", "https://other.example/cb"])
      expect((await at.browser.get(authPath({ client_id, redirect_uri }))).status).toBe(400);

    const redirect_uri = "https://other.example/cb?x=1";
    const back = await consent(at, { client_id, redirect_uri });
    expect(back.href).toStartWith("https://other.example/cb?x=1&code=");
    expect((await exchange(at, back, { client_id, redirect_uri })).status).toBe(200);
    const named = at.platen.db.$client.query("SELECT name FROM keys WHERE client_id = ?").get(client_id);
    expect(named).toEqual({ name: "Quill <b>" });
  });

  test("works for an app on the developer's machine, on its own port only", async () => {
    const at = await startSignIn();
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const client_id = `http://${host}:3000/`;
      const redirect_uri = `${client_id}callback`;
      const back = await consent(at, { client_id, redirect_uri });
      expect((await exchange(at, back, { client_id, redirect_uri })).status).toBe(200);
      const other = await at.browser.get(
        authPath({ client_id, redirect_uri: `http://${host}:4000/callback` }),
      );
      expect(other.status).toBe(400);
    }
  });

  test("treats a client_id without a path like one with /", async () => {
    const at = await startSignIn();
    const back = await consent(at, { client_id: "https://APP.example" });
    expect((await exchange(at, back, { client_id: "https://app.example/" })).status).toBe(200);
  });
});
