import { describe, expect, test } from "bun:test";
import { receive } from "../outgoing/receivers";
import { picture } from "../support/pictures";
import { type Endpoint, type MicropubResponse, startEndpoint } from "./endpoint";

/** Checks what micropub.rocks requires of a create: 201 or 202, with an absolute Location that exists. */
async function checkCreated(at: Endpoint, told: MicropubResponse): Promise<string> {
  expect([201, 202]).toContain(told.status);
  expect(told.location).toStartWith("http://blog.test/");
  expect((await at.fetch(told.location)).status).toBe(200);
  return told.location;
}

/** An endpoint that may send requests to this machine. */
const startWithPrivateHosts = () => startEndpoint({ privateHosts: ["127.0.0.1"] });

async function photoServer() {
  const bytes = await picture();
  const { port } = receive(() => new Response(bytes, { headers: { "content-type": "image/jpeg" } }));
  return (name: string) => `http://127.0.0.1:${port}/${name}`;
}

describe("micropub.rocks: creating with a form", () => {
  test("100: an h-entry", async () => {
    const at = startEndpoint();
    const url = await checkCreated(
      at,
      await at.form("h=entry&content=Micropub+test+of+creating+a+basic+h-entry"),
    );
    expect(await at.page(url)).toContain("Micropub test of creating a basic h-entry");
  });

  test("101: several categories", async () => {
    const at = startEndpoint();
    const sent = "h=entry&content=Two+categories&category[]=test1&category[]=test2";
    const url = await checkCreated(at, await at.form(sent));
    expect((await at.source(url)).category).toEqual(["test1", "test2"]);
    expect(await at.page(url)).toMatch(/test1[\s\S]*test2/);
  });

  test("104: a photo given by its URL", async () => {
    const at = startWithPrivateHosts();
    const photo = await photoServer();
    const sent = `h=entry&content=A+photo&photo=${encodeURIComponent(photo("sunset.jpg"))}`;
    const url = await checkCreated(at, await at.form(sent));
    expect(await at.page(url)).toMatch(/<img class="u-photo" src="\/media\/[0-9a-f]+\/sunset.jpg"/);
  });

  test("107: one category", async () => {
    const at = startEndpoint();
    const url = await checkCreated(at, await at.form("h=entry&content=One+category&category=test1"));
    expect((await at.source(url)).category).toEqual(["test1"]);
  });
});

describe("micropub.rocks: creating with JSON", () => {
  test("200: an h-entry", async () => {
    const at = startEndpoint();
    await checkCreated(at, await at.create({ content: ["Micropub test of creating an h-entry with JSON"] }));
  });

  test("201: several categories", async () => {
    const at = startEndpoint();
    const url = await checkCreated(at, await at.create({ content: ["Two"], category: ["test1", "test2"] }));
    expect((await at.source(url)).category).toEqual(["test1", "test2"]);
  });

  test("202: HTML content is shown as HTML", async () => {
    const at = startEndpoint();
    const content = "<p>This post has <b>bold</b> and <i>italic</i> text.</p>";
    const url = await checkCreated(at, await at.create({ content: [{ html: content }] }));
    expect(await at.page(url)).toContain(content);
    expect((await at.source(url)).content).toEqual([{ html: content }]);
  });

  test("203: a photo given by its URL", async () => {
    const at = startWithPrivateHosts();
    const photo = await photoServer();
    const url = await checkCreated(
      at,
      await at.create({ content: ["A photo"], photo: [photo("sunset.jpg")] }),
    );
    expect(await at.page(url)).toContain('class="u-photo"');
  });

  test("204: a nested object is stored as it was sent", async () => {
    const at = startEndpoint();
    const weight = { type: ["h-measure"], properties: { num: ["70.64"], unit: ["kg"] } };
    const response = await at.create({ summary: ["Weighed 70.64 kg"], "x-weight": [weight] });
    const url = await checkCreated(at, response);
    expect((await at.source(url))["x-weight"]).toEqual([weight]);
    expect(await at.page(url)).toContain("Weighed 70.64 kg");
  });

  test("205: a photo with alt text", async () => {
    const at = startWithPrivateHosts();
    const photo = await photoServer();
    const photos = [{ value: photo("sunset.jpg"), alt: 'A "red" sunset' }];
    const url = await checkCreated(at, await at.create({ content: ["A photo"], photo: photos }));
    expect(await at.page(url)).toContain('alt="A &quot;red&quot; sunset"');
    expect((await at.source(url)).photo).toEqual([
      { value: expect.stringContaining("/sunset.jpg"), alt: 'A "red" sunset' },
    ]);
  });

  test("206: two photos given by their URLs", async () => {
    const at = startWithPrivateHosts();
    const photo = await photoServer();
    const photos = [photo("sunset.jpg"), photo("sunrise.jpg")];
    const url = await checkCreated(at, await at.create({ content: ["Two photos"], photo: photos }));
    expect(await at.page(url)).toMatch(/class="u-photo"[^>]*sunset[\s\S]*class="u-photo"[^>]*sunrise/);
  });
});

describe("micropub.rocks: creating with multipart", () => {
  test("300: a photo", async () => {
    const at = startEndpoint();
    const file = new File([await picture()], "sunset.jpg", { type: "image/jpeg" });
    const response = await at.multipart([
      ["h", "entry"],
      ["content", "Nice sunset"],
      ["photo", file],
    ]);
    const url = await checkCreated(at, response);
    expect(await at.page(url)).toMatch(
      /class="u-photo" src="\/media\/[0-9a-f]+\/sunset.jpg"[\s\S]*Nice sunset/,
    );
  });

  test("301: two photos", async () => {
    const at = startEndpoint();
    const file = async (name: string) => new File([await picture()], name, { type: "image/jpeg" });
    const response = await at.multipart([
      ["h", "entry"],
      ["content", "Two"],
      ["photo[]", await file("sunset.jpg")],
      ["photo[]", await file("city.jpg")],
    ]);
    const url = await checkCreated(at, response);
    expect((await at.source(url)).photo).toHaveLength(2);
    expect(await at.page(url)).toMatch(/class="u-photo"[^>]*sunset[\s\S]*class="u-photo"[^>]*city/);
  });
});

describe("micropub.rocks: updating", () => {
  async function updatePost(properties: Record<string, unknown>, operation: Record<string, unknown>) {
    const at = startEndpoint();
    const { location } = await at.create(properties);
    const response = await at.json({ action: "update", url: location, ...operation });
    return { response, after: await at.source(response.location || location) };
  }

  test("400: replace a property", async () => {
    const before = { content: ["Micropub update test."] };
    const { response, after } = await updatePost(before, {
      replace: { content: ["This is the updated text."] },
    });
    expect([200, 201, 204]).toContain(response.status);
    expect(after.content).toEqual(["This is the updated text."]);
  });

  test("401: adds a value to an existing property", async () => {
    const before = { content: ["A test"], category: ["test1"] };
    const { response, after } = await updatePost(before, { add: { category: ["test2"] } });
    expect(response.status).toBe(204);
    expect(after).toMatchObject({ content: ["A test"], category: ["test1", "test2"] });
  });

  test("402: add a value to a missing property", async () => {
    const { after } = await updatePost({ content: ["A test"] }, { add: { category: ["test1"] } });
    expect(after).toMatchObject({ content: ["A test"], category: ["test1"] });
  });

  test("403: delete one value", async () => {
    const before = { content: ["A test"], category: ["test1", "test2"] };
    const { after } = await updatePost(before, { delete: { category: ["test1"] } });
    expect(after).toMatchObject({ content: ["A test"], category: ["test2"] });
  });

  test("404: delete a property", async () => {
    const before = { content: ["A test"], category: ["test1", "test2"] };
    const { after } = await updatePost(before, { delete: ["category"] });
    expect(after.content).toEqual(["A test"]);
    expect(after).not.toHaveProperty("category");
  });

  test("a replacement that is not a list of values is rejected, and the post is unchanged", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["Old"], content: ["Hello"] });
    const { status, body } = await at.json({ action: "update", url: location, replace: { name: "New" } });
    expect([status, body.error]).toEqual([400, "invalid_request"]);
    expect(body.error_description).toContain("replace.name");
    expect((await at.api("GET", "/posts")).body.posts[0].title).toBe("Old");
  });

  test("405: an operation that is not an object is rejected", async () => {
    const operation = { replace: "This is not a valid update request." };
    const { response, after } = await updatePost({ content: ["A test"] }, operation);
    expect(response.status).toBe(400);
    expect(response.body.error).toBe("invalid_request");
    expect(after.content).toEqual(["A test"]);
  });
});

describe("micropub.rocks: deleting and undeleting", () => {
  test.each([
    ["500, 502: by form", false],
    ["501, 503: by JSON", true],
  ])("%s", async (_numbers, isJson) => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["This post will be deleted"] });
    const act = (action: string) =>
      isJson
        ? at.json({ action, url: location })
        : at.form(`action=${action}&url=${encodeURIComponent(location)}`);
    expect((await act("delete")).status).toBe(204);
    expect([404, 410]).toContain((await at.fetch(location)).status);
    expect((await act("undelete")).status).toBe(204);
    expect((await at.fetch(location)).status).toBe(200);
  });
});

describe("micropub.rocks: queries", () => {
  test("600: configuration", async () => {
    const { status, body } = await startEndpoint().query("q=config");
    expect(status).toBe(200);
    expect(body["media-endpoint"]).toBe("http://blog.test/micropub/media");
  });

  test("601: syndication targets", async () => {
    const { status, body } = await startEndpoint().query("q=syndicate-to");
    expect({ status, body }).toEqual({ status: 200, body: { "syndicate-to": [] } });
  });

  const written = {
    content: ["Test of querying the endpoint for the source content"],
    category: ["micropub", "test"],
  };

  test("602: the source of a post, all properties", async () => {
    const at = startEndpoint();
    const { location } = await at.create(written);
    const { status, body } = await at.query(`q=source&url=${encodeURIComponent(location)}`);
    expect(status).toBe(200);
    expect(body.type).toEqual(["h-entry"]);
    expect(body.properties).toMatchObject(written);
  });

  test("603: the source of a post, some properties", async () => {
    const at = startEndpoint();
    const { location } = await at.create(written);
    const { body } = await at.query(`q=source&properties=content&url=${encodeURIComponent(location)}`);
    expect(body.properties).toEqual({ content: written.content });
    const both = await at.query(
      `q=source&properties[]=content&properties[]=category&url=${encodeURIComponent(location)}`,
    );
    expect(both.body.properties).toEqual(written);
  });
});

describe("micropub.rocks: the media endpoint", () => {
  test.each([
    ["700", "jpeg", "photo.jpg", "image/jpeg"],
    ["701", "png", "photo.png", "image/png"],
    ["702", "gif", "photo.gif", "image/gif"],
  ] as const)("%s: an upload of a %s", async (_number, format, name, type) => {
    const at = startEndpoint();
    const file = new File([await picture(20, 10, format)], name, { type });
    const { status, location } = await at.multipart([["file", file]], "/micropub/media");
    expect(status).toBe(201);
    const served = await at.fetch(location);
    expect([served.status, served.headers.get("content-type")]).toEqual([200, type]);
  });
});

describe("micropub.rocks: access tokens", () => {
  const anonymous = { authorization: "" };

  test("800: in the header", async () => {
    expect((await startEndpoint().form("h=entry&content=Testing")).status).toBe(201);
  });

  test("801: in the form", async () => {
    const at = startEndpoint();
    expect((await at.form(`h=entry&content=Testing&access_token=${at.key}`, anonymous)).status).toBe(201);
  });

  test("802: the token is not stored in the post", async () => {
    const at = startEndpoint();
    const { location } = await at.form(`h=entry&content=Testing&access_token=${at.key}`, anonymous);
    expect(JSON.stringify(await at.source(location))).not.toContain(at.key);
    expect(await at.source(location)).not.toHaveProperty("access_token");
  });

  test("803: a request without a token creates no post", async () => {
    const at = startEndpoint();
    const { status, body, headers } = await at.form("h=entry&content=Testing", anonymous);
    expect([status, body.error]).toEqual([401, "unauthorized"]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect((await at.query("q=source")).body.items).toEqual([]);
  });

  test("804: a token without the scope create is rejected (403, as RFC 6750 says)", async () => {
    const at = startEndpoint();
    const authorization = `Bearer ${at.newKey({ scopes: ["read", "update"] })}`;
    const { status, body } = await at.form("h=entry&content=Testing", { authorization });
    expect([status, body.error]).toEqual([403, "insufficient_scope"]);
    expect((await at.query("q=source")).body.items).toEqual([]);
  });

  test("805: a token in the header and in the form returns 400", async () => {
    const at = startEndpoint();
    const { status, body } = await at.form(`h=entry&content=Testing&access_token=${at.key}`);
    expect([status, body.error]).toEqual([400, "bad request"]);
    expect((await at.query("q=source")).body.items).toEqual([]);
  });
});
