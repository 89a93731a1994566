/** Requests of real apps, taken from their source code, and the responses that they need. */
import { afterEach, describe, expect, test } from "bun:test";
import Micropub from "micropub-helper";
import { makeAppKey } from "../../src/accounts/app-tokens";
import { picture } from "../support/pictures";
import { type Endpoint, type MicropubResponse, startEndpoint } from "./endpoint";

const jpeg = async (name: string, type = "image/jpeg") => new File([await picture()], name, { type });

interface Shape {
  app: string;
  does: string;
  send: (at: Endpoint, existing: string) => Promise<MicropubResponse>;
  status: number;
  /** Properties of the created or changed post. */
  leaves?: Record<string, unknown>;
}

const UPDATED = { content: ["Changed"] };

const SHAPES: Shape[] = [
  {
    app: "Omnibear",
    does: "creates a like without content, with an empty slug",
    send: (at) =>
      at.form("h=entry&like-of=https%3A%2F%2Fexample.org%2Fa&mp-slug=&category%5B%5D=x", {
        accept: "application/json, application/x-www-form-urlencoded",
      }),
    status: 201,
    leaves: { "like-of": ["https://example.org/a"], category: ["x"] },
  },
  {
    app: "Quill's editor",
    does: "sends single values as lists",
    send: (at) => at.form("h=entry&name%5B%5D=Title&content%5B%5D=Text&category%5B%5D=a&category%5B%5D=b"),
    status: 201,
    leaves: { name: ["Title"], content: ["Text"], category: ["a", "b"] },
  },
  {
    app: "Quill",
    does: "sends a weight with only a summary",
    send: (at) =>
      at.json({
        type: ["h-entry"],
        properties: {
          summary: ["Weighed 70 kg"],
          weight: [{ type: ["h-measure"], properties: { num: ["70"], unit: ["kg"] } }],
        },
      }),
    status: 201,
    leaves: {
      summary: ["Weighed 70 kg"],
      weight: [{ type: ["h-measure"], properties: { num: ["70"], unit: ["kg"] } }],
    },
  },
  {
    app: "Micropublish",
    does: "sends an empty replace together with delete",
    send: (at, url) =>
      at.json(
        { action: "update", url, replace: {}, delete: ["category"] },
        { "content-type": "application/json; charset=utf-8" },
      ),
    status: 204,
    leaves: { content: ["Before"] },
  },
  {
    app: "Micropublish",
    does: "sends commands next to properties",
    send: (at, url) => at.json({ action: "update", url, replace: UPDATED, "mp-syndicate-to": [] }),
    status: 204,
    leaves: UPDATED,
  },
  {
    app: "Indigenous",
    does: "sends the key only in the form, and a time offset without a colon",
    send: (at) =>
      at.form(
        `access_token=${at.key}&h=entry&content=Here&published=2020-08-11T18%3A58%3A00%2B0100&location=${encodeURIComponent("geo:51.2,3.2;name=Home")}&post-status=published`,
        { authorization: "" },
      ),
    status: 201,
    leaves: { published: ["2020-08-11T17:58:00Z"], location: ["geo:51.2,3.2;name=Home"] },
  },
  {
    app: "Indigenous",
    does: "sends the key in a multipart field",
    send: async (at) =>
      at.multipart(
        [
          ["access_token", at.key],
          ["content", "Look"],
          ["photo[0]", await jpeg("a.jpg")],
          ["mp-photo-alt[]", "A"],
        ],
        "/micropub",
        { authorization: "" },
      ),
    status: 201,
    leaves: { content: ["Look"], photo: [{ value: expect.any(String), alt: "A" }] },
  },
  {
    app: "Micro.blog's app",
    does: "sends the blog in a multipart field",
    send: (at) =>
      at.multipart([
        ["h", "entry"],
        ["name", ""],
        ["content", "Hi"],
        ["mp-destination", "http://blog.test/"],
        ["post-status", "draft"],
      ]),
    status: 201,
    leaves: { content: ["Hi"], "post-status": ["draft"] },
  },
  {
    app: "Micro.blog's app",
    does: "sends an update with the blog next to the action, and an empty name",
    send: (at, url) =>
      at.json({
        action: "update",
        url,
        "mp-destination": "http://blog.test/",
        replace: { ...UPDATED, name: [""] },
      }),
    status: 204,
    leaves: UPDATED,
  },
  {
    app: "Handwritten Publish",
    does: "creates an HTML draft, with the blog next to the type",
    send: (at) =>
      at.json({
        type: ["h-entry"],
        "mp-destination": "http://blog.test/",
        properties: { content: [{ html: "<p>Hi</p>" }], "post-status": ["draft"] },
      }),
    status: 201,
    leaves: { content: [{ html: "<p>Hi</p>" }], "post-status": ["draft"] },
  },
  {
    app: "Sparkles",
    does: "sends a bare slug and a nested h-cite without content",
    send: (at) =>
      at.json({
        type: ["h-entry"],
        properties: {
          "mp-slug": "watched",
          "watch-of": [
            { type: ["h-cite"], properties: { name: ["Film"], url: ["https://example.org/film"] } },
          ],
        },
      }),
    status: 201,
    leaves: { url: ["http://blog.test/watched"] },
  },
  {
    app: "Indiekit",
    does: "deletes by query parameters with an empty body",
    send: (at, url) => at.ask(`/micropub?action=delete&url=${encodeURIComponent(url)}`, { method: "POST" }),
    status: 204,
  },
  {
    app: "MicropubAPI",
    does: "uploads file.jpg as image/jpg",
    send: async (at) => at.multipart([["file", await jpeg("file.jpg", "image/jpg")]], "/micropub/media"),
    status: 201,
  },
  {
    app: "shpub",
    does: "sends HTML by content[html]",
    send: (at) => at.form("h=entry&content%5Bhtml%5D=%3Cp%3EHi%3C%2Fp%3E"),
    status: 201,
    leaves: { content: [{ html: "<p>Hi</p>" }] },
  },
  {
    app: "shpub",
    does: "deletes single values of a property",
    send: (at, url) => at.json({ action: "update", url, delete: { category: ["a"] } }),
    status: 204,
    leaves: { category: ["b"] },
  },
  {
    app: "obsidian-micropub",
    does: "replaces categories by none, sets a slug, and deletes a missing property",
    send: (at, url) =>
      at.json({
        action: "update",
        url,
        replace: { content: ["- *a*\n"], category: [], "mp-slug": ["before"] },
        delete: ["summary"],
      }),
    status: 204,
    leaves: { content: ["- *a*\n"] },
  },
  {
    app: "obsidian-micropub",
    does: "uploads a file to the Micropub endpoint without other fields",
    send: async (at) => {
      const response = await at.multipart([["photo[]", await jpeg("diagram.jpg")]]);
      expect(response.location).toEndWith("/diagram.jpg");
      expect((await at.query("q=source")).body.items).toHaveLength(1);
      return response;
    },
    status: 201,
  },
  {
    app: "iA Writer",
    does: "uploads in a field named image",
    send: async (at) => at.multipart([["image", await jpeg("Image 1.jpeg")]], "/micropub/media"),
    status: 201,
  },
  {
    app: "iA Writer",
    does: "sends strings instead of lists",
    send: (at) =>
      at.json({
        type: ["h-entry"],
        properties: { name: "Title", content: "*Text*", "post-status": "draft" },
      }),
    status: 201,
    leaves: { name: ["Title"], content: ["*Text*"], "post-status": ["draft"] },
  },
  {
    app: "OwnYourSwarm",
    does: "sends a check-in with a person as a category",
    send: (at) =>
      at.json({
        type: ["h-entry"],
        properties: {
          published: ["2026-02-28T18:00:00-05:00"],
          content: ["Coffee with Bob"],
          category: [
            "coffee",
            { type: ["h-card"], properties: { name: ["Bob"], url: ["https://bob.example/"] } },
          ],
          checkin: [
            {
              type: ["h-card"],
              properties: { name: ["Café"], url: ["https://cafe.example/"], latitude: [45.5], tel: ["+1"] },
            },
          ],
          location: [{ type: ["h-adr"], properties: { locality: ["Portland"] } }],
          place_name: ["Café"],
          syndication: ["https://www.swarmapp.com/c/1"],
        },
      }),
    status: 201,
    leaves: { place_name: ["Café"], category: ["coffee", expect.objectContaining({ type: ["h-card"] })] },
  },
];

describe.each(SHAPES)("$app $does", ({ send, status, leaves }) => {
  test("gets the response it needs", async () => {
    const at = startEndpoint();
    const existing = await at.create({ name: ["Before"], content: ["Before"], category: ["a", "b"] });
    const response = await send(at, existing.location);
    expect(response.status).toBe(status);
    if (status === 201) expect(response.location).toStartWith("http://blog.test/");
    if (leaves) expect(await at.source(response.location || existing.location)).toMatchObject(leaves);
    if (leaves) expect((await at.fetch(response.location || existing.location)).status).toBeLessThan(500);
  });
});

describe("Quill", () => {
  const startWithHeaderKey = (at: Endpoint, clientId: string) =>
    makeAppKey(at.platen, at.account, {
      name: "App",
      clientId,
      scopes: ["create", "update", "media"],
      blogIds: null,
    }).accessToken;
  const note = (at: Endpoint, key: string, inBody = key) =>
    at.form(`h=entry&access_token=${inBody}&content=Hi`, { authorization: `Bearer ${key}` });

  test("may send the same key in the header and in the form", async () => {
    const at = startEndpoint();
    expect((await note(at, startWithHeaderKey(at, "https://quill.p3k.io/"))).status).toBe(201);
  });

  test("may not send two different keys, and no other app may send a key twice", async () => {
    const at = startEndpoint();
    expect((await note(at, startWithHeaderKey(at, "https://quill.p3k.io/"), at.key)).status).toBe(400);
    expect((await note(at, startWithHeaderKey(at, "https://other.example/"))).status).toBe(400);
    expect((await at.query("q=source")).body.items).toEqual([]);
  });
});

describe("micropub-helper", () => {
  const running: { stop(): unknown }[] = [];
  afterEach(() => {
    for (const server of running.splice(0)) server.stop();
  });

  /** The library sends requests to a real server. */
  async function helper() {
    let at: Endpoint | undefined;
    const server = Bun.serve({
      idleTimeout: 0,
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => (at as Endpoint).fetch(request.url, request),
    });
    running.push({ stop: () => server.stop(true) });
    const url = `http://localhost:${server.port}`;
    at = startEndpoint({ url });
    const client = new Micropub({
      me: `${url}/`,
      token: at.key,
      micropubEndpoint: `${url}/micropub`,
      mediaEndpoint: `${url}/micropub/media`,
    });
    return { at, client, url };
  }

  test("finds the endpoints on the home page", async () => {
    const { client, url } = await helper();
    expect(await client.getEndpointsFromUrl(`${url}/`)).toEqual({
      micropub: `${url}/micropub`,
      auth: `${url}/auth`,
      token: `${url}/auth/token`,
    });
  });

  test("checks its key, and gets an error for an invalid one", async () => {
    const { client } = await helper();
    expect(await client.verifyToken()).toBe(true);
    client.options.token = "wrong";
    expect(client.verifyToken()).rejects.toMatchObject({ status: 401 });
  });

  test("creates by JSON and by form, updates, deletes and undeletes", async () => {
    const { client, at } = await helper();
    const asJson = await client.create({ type: ["h-entry"], properties: { content: ["One"] } });
    const asForm = await client.create({ h: "entry", content: "Two", category: ["a", "b"] }, "form");
    expect((await client.querySource(asForm)).properties.category).toEqual(["a", "b"]);
    await client.update(asJson, { replace: { content: ["Changed"] } });
    expect((await client.querySource(asJson, ["content"])).properties).toEqual({ content: ["Changed"] });
    await client.delete(asJson);
    expect((await at.fetch(asJson)).status).toBe(404);
    await client.undelete(asJson);
    expect((await at.fetch(asJson)).status).toBe(200);
    expect((await client.querySource({ limit: 2 })).items).toHaveLength(2);
    expect((await client.query("config"))["media-endpoint"]).toBe(client.options.mediaEndpoint);
  });
});
