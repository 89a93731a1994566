import { describe, expect, test } from "bun:test";
import { MAX_BYTES, MAX_COUNTS, MAX_HEADER_LENGTHS, MAX_LENGTHS } from "../../src/config/request-limits";
import { blobs } from "../../src/database/schema";
import { Refusal } from "../../src/errors";
import { turnFediverseOn } from "../../src/fediverse/fediverse-account";
import { callOf } from "../../src/http/requests/call";
import { requestBase } from "../../src/http/requests/client-address";
import type { HeaderName } from "../../src/http/requests/headers";
import { newFolderName } from "../../src/media/files/media-folder";
import { write } from "../komments/forms";
import { picture } from "../support/pictures";
import { START, startPlaten, type TestPlaten } from "../support/platen";
import { allRoutes } from "../support/routes";
import { files } from "../support/source";

interface StatusAndBody {
  status: number;
  body: string;
}
type Ask = (at: TestPlaten, length: number) => Promise<StatusAndBody>;

const statusAndBody = async (answer: Promise<Response>): Promise<StatusAndBody> => {
  const { status } = await answer;
  return { status, body: await (await answer).text() };
};
const get = (at: TestPlaten, path: string, headers: Record<string, string> = {}) =>
  statusAndBody(at.fetch(path, { headers }));
const form = (at: TestPlaten, path: string, fields: string | Record<string, string>, isOurs = true) =>
  statusAndBody(
    at.fetch(path, {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(isOurs ? { "sec-fetch-site": "same-origin" } : { authorization: `Bearer ${at.key}` }),
      },
    }),
  );
const micropub = (at: TestPlaten, fields: string | Record<string, string>) =>
  form(at, "/micropub", fields, false);
const json = (at: TestPlaten, path: string, body: unknown) =>
  statusAndBody(
    at.fetch(path, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", authorization: `Bearer ${at.key}` },
    }),
  );
const parts = (at: TestPlaten, body: string, boundary = "cut") =>
  statusAndBody(
    at.fetch("/micropub", {
      method: "POST",
      body,
      headers: {
        "content-type": `multipart/form-data; boundary=${boundary}`,
        authorization: `Bearer ${at.key}`,
      },
    }),
  );
const part = (name: string, boundary = "cut") =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n--${boundary}--`;
const app = (fields: Record<string, string>) =>
  `/auth?${new URLSearchParams({ client_id: "https://app.example/", redirect_uri: "https://app.example/back", response_type: "code", code_challenge_method: "S256", code_challenge: "x".repeat(43), ...fields })}`;
const x = (length: number) => "x".repeat(length);
/** A URL of this length. */
const address = (length: number) => `https://app.example/${x(length - "https://app.example/".length)}`;

/** Limit → the requests that use a text of its length, with status and message of the error. */
const TEXT_REQUESTS: Record<
  keyof typeof MAX_LENGTHS,
  [where: string, status: number, words: string, ask: Ask][]
> = {
  address: [
    ...[
      "/search?q=",
      "/@ada/",
      "/livez?",
      "/media/",
      "/auth/sign-in?next=",
      "/setup?token=",
      "/komments/",
    ].map((path): [string, number, string, Ask] => [
      path,
      414,
      "address",
      (at, length) => get(at, path + x(length - path.length)),
    ]),
    ...["/api/v1/posts?search=", "/micropub?q=source&filter=", "/auth/userinfo?", "/api/nowhere/"].map(
      (path): [string, number, string, Ask] => [
        path,
        414,
        "address",
        (at, length) => get(at, path + x(length - path.length), { authorization: `Bearer ${at.key}` }),
      ],
    ),
  ],
  host: [["any page", 400, "Host", (at, length) => get(at, `http://${x(length - 5)}.test/`)]],
  fieldName: [
    ["a form", 400, "longer than", (at, length) => micropub(at, { content: "a", [x(length)]: "a" })],
    [
      "a form with brackets",
      400,
      "longer than",
      (at, length) =>
        micropub(at, { content: "a", [`a${"[0]".repeat(100)}${x(length)}`.slice(0, length)]: "a" }),
    ],
    [
      "a form with files",
      400,
      "longer than",
      (at, length) => parts(at, part("content").replace("--cut--", part(x(length)))),
    ],
    [
      "properties",
      400,
      "longer than",
      (at, length) => json(at, "/micropub", { properties: { content: ["a"], [x(length)]: ["a"] } }),
    ],
    [
      "a query",
      400,
      "longer than",
      (at, length) => get(at, `/micropub?q=source&${x(length)}=1`, { authorization: `Bearer ${at.key}` }),
    ],
  ],
  boundary: [
    ["a form with files", 400, "boundary", (at, length) => parts(at, part("content", x(length)), x(length))],
  ],
  webAddress: [
    ["client_id", 400, "client_id", (at, length) => get(at, app({ client_id: address(length) }))],
    ["redirect_uri", 400, "redirect_uri", (at, length) => get(at, app({ redirect_uri: address(length) }))],
    ["me", 400, "me", (at, length) => get(at, app({ me: x(length) }))],
    [
      "client_id of a code",
      400,
      "client_id",
      (at, length) =>
        form(at, "/auth/token", { grant_type: "authorization_code", code: "x", client_id: address(length) }),
    ],
    [
      "mp-destination",
      422,
      "mp-destination",
      (at, length) => micropub(at, { content: "a", "mp-destination": "/".repeat(length) }),
    ],
    [
      "mp-destination in a query",
      422,
      "mp-destination",
      (at, length) =>
        get(at, `/micropub?q=source&mp-destination=${"/".repeat(length)}`, {
          authorization: `Bearer ${at.key}`,
        }),
    ],
    ["url", 400, "url", (at, length) => micropub(at, { action: "delete", url: address(length) })],
  ],
  token: [
    ["a key to revoke", 400, "token", (at, length) => form(at, "/auth/revoke", { token: x(length) })],
    [
      "a code",
      400,
      "code",
      (at, length) => form(at, "/auth/token", { grant_type: "authorization_code", code: x(length) }),
    ],
    ["a form's token", 400, "token", (at, length) => form(at, "/auth/sign-in", { token: x(length) })],
    ["a komment's ticket", 400, "ticket", (at, length) => form(at, "/komments/tea", { ticket: x(length) })],
  ],
  consentTicket: [
    ["consent", 400, "ticket", (at, length) => form(at, "/auth/consent", { ticket: x(length) })],
  ],
  scope: [
    ["an app's request", 400, "scope", (at, length) => get(at, app({ scope: x(length) }))],
    [
      "renewal",
      400,
      "scope",
      (at, length) =>
        form(at, "/auth/token", { grant_type: "refresh_token", refresh_token: "x", scope: x(length) }),
    ],
  ],
  state: [["an app's request", 400, "state", (at, length) => get(at, app({ state: x(length) }))]],
  codeVerifier: [
    [
      "an app's code",
      400,
      "code_verifier",
      (at, length) =>
        form(at, "/auth/token", { grant_type: "authorization_code", code: "x", code_verifier: x(length) }),
    ],
    ["an app's request", 400, "code_challenge", (at, length) => get(at, app({ code_challenge: x(length) }))],
  ],
  time: [
    [
      "JSON",
      422,
      "published_at",
      (at, length) =>
        json(at, "/api/v1/posts", {
          post: { title: "a", published_at: `2026-01-01T00:00:00.${"0".repeat(length - 21)}Z` },
        }),
    ],
    [
      "Micropub",
      422,
      "published",
      (at, length) =>
        micropub(at, { content: "a", published: `2026-01-01T00:00:00.${"0".repeat(length - 21)}Z` }),
    ],
  ],
  typedLine: [["set-up", 400, "title", (at, length) => form(at, "/setup", { title: x(length) })]],
  email: [
    ["sign-in", 400, "email", (at, length) => form(at, "/auth/sign-in", { email: x(length), password: "x" })],
  ],
  password: [
    [
      "sign-in",
      400,
      "password",
      (at, length) => form(at, "/auth/sign-in", { email: "x", password: x(length) }),
    ],
  ],
  filename: [
    [
      "an alt text",
      422,
      "alt_text",
      (at, length) => json(at, "/api/v1/posts", { post: { title: "a", alt_text: { [x(length)]: "a" } } }),
    ],
  ],
  altTexts: [
    [
      "alt texts that are short each",
      422,
      "alt_text",
      (at, length) => {
        const each = Array.from({ length: Math.ceil(length / 9000) }, (_, number) => [
          `${number}.jpg`,
          9000 * number,
        ]);
        const alts = each.map(([name, from]) => [name, x(Math.min(9000, length - (from as number)))]);
        return json(at, "/api/v1/posts", { post: { title: "a", alt_text: Object.fromEntries(alts) } });
      },
    ],
  ],
  requestedSlug: [
    ["mp-slug", 422, "mp-slug", (at, length) => micropub(at, { content: "a", "mp-slug": x(length) })],
  ],
};

const posts = async (at: TestPlaten) => {
  await at.api("POST", "/posts", { post: { title: "Tea", status: "published", content: "Tea." } });
  return at;
};
const asHeader =
  (name: string, path: string, init: (at: TestPlaten) => RequestInit = () => ({})): Ask =>
  (at, length) => {
    const { headers, ...rest } = init(at);
    const value = name === "content-length" ? "9".repeat(length) : x(length);
    return statusAndBody(
      at.fetch(path, { ...rest, headers: { ...(headers as Record<string, string>), [name]: value } }),
    );
  };
const withKey = (at: TestPlaten) => ({ headers: { authorization: `Bearer ${at.key}` } });
const postRequest = (at: TestPlaten) => ({ ...withKey(at), method: "POST", body: '{"post":{"title":"a"}}' });
const fetchBehindProxy =
  (name: string): Ask =>
  async (at, length) => {
    const request = new Request("http://blog.test/", { headers: { [name]: x(length) } });
    try {
      requestBase(callOf(at.platen, request, { requestIP: () => ({ address: "127.0.0.1" }) }));
      return { status: 200, body: "" };
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      return { status: fault.kind === "long header" ? 431 : 0, body: fault.message };
    }
  };

async function uploadVideo(at: TestPlaten): Promise<string> {
  const body = new FormData();
  body.append("file", new File([await picture(4, 4)], "a.webp"));
  const answer = await at.fetch("/micropub/media", { ...withKey(at), method: "POST", body });
  return answer.headers.get("location") as string;
}

const HEADER_REQUESTS: Record<HeaderName, Ask> = {
  accept: async (at, length) => {
    await turnFediverseOn(
      { ...at.platen, config: { ...at.platen.config, privateHosts: ["blog.test"] } },
      at.blog,
    );
    return await asHeader("accept", `/.well-known/reach/actor/${at.blog.id}`)(at, length);
  },
  "accept-encoding": asHeader("accept-encoding", "/tea"),
  "access-control-request-method": asHeader("access-control-request-method", "/api/v1/posts", () => ({
    method: "OPTIONS",
  })),
  authorization: asHeader("authorization", "/api/v1/info"),
  "content-encoding": asHeader("content-encoding", "/micropub", postRequest),
  "content-length": asHeader("content-length", "/api/v1/posts", postRequest),
  "content-type": asHeader("content-type", "/micropub", postRequest),
  cookie: asHeader("cookie", "/auth/sign-in"),
  "idempotency-key": asHeader("idempotency-key", "/api/v1/posts", postRequest),
  "if-match": asHeader("if-match", "/api/v1/posts/1", (at) => ({ ...postRequest(at), method: "PUT" })),
  "if-none-match": asHeader("if-none-match", "/tea"),
  "if-range": async (at, length) => {
    const folder = newFolderName();
    const atStore = [{ name: "a.mp4", size: 1, sha256: "", modified: 0 }];
    const film = { mediaType: "video", contentType: "video/mp4", byteSize: 1, sha256: "", atStore } as const;
    const row = { ...film, blogId: at.blog.id, folder, filename: `${folder}.mp4`, createdAt: START };
    at.platen.db.insert(blobs).values(row).run();
    // The S3 server is not requested.
    return await get(at, `/media/${folder}/a.mp4`, { "if-range": x(length), "if-none-match": "*" });
  },
  origin: asHeader("origin", "/auth/sign-in", () => ({ method: "POST", body: "" })),
  range: async (at, length) => await get(at, await uploadVideo(at), { range: x(length) }),
  "sec-fetch-site": asHeader("sec-fetch-site", "/auth/sign-in", () => ({ method: "POST", body: "" })),
  "sec-purpose": asHeader("sec-purpose", "/tea"),
  "user-agent": asHeader("user-agent", "/tea"),
  via: asHeader("via", "/metrics"),
  "x-blog-id": asHeader("x-blog-id", "/micropub?q=config", withKey),
  "x-forwarded-for": asHeader("x-forwarded-for", "/auth/sign-in", () => ({
    method: "POST",
    body: "",
    headers: { "sec-fetch-site": "same-origin" },
  })),
  "x-forwarded-host": fetchBehindProxy("x-forwarded-host"),
  "x-forwarded-proto": fetchBehindProxy("x-forwarded-proto"),
};

const TOO_LONG = /must be at most|longer than|at most \d+ characters/;

describe.each(Object.entries(TEXT_REQUESTS))("%s", (name, places) => {
  test.each(places)(
    "in %s is rejected beyond its limit with %d, whatever its length",
    async (_, status, words, ask) => {
      const at = await posts(startPlaten());
      const most = MAX_LENGTHS[name as keyof typeof MAX_LENGTHS];
      const within = await ask(at, most);
      expect(within.status).toBeLessThan(500);
      if (within.status === status) expect(within.body).not.toMatch(TOO_LONG);
      for (const length of [most + 1, 2 * most, 4 * most]) {
        const refused = await ask(at, length);
        // The whole URL or header may be too long before one of its values is.
        const isWholeTooLong = refused.status === 414 || refused.status === 431;
        expect([length, isWholeTooLong || refused.status]).toEqual([length, isWholeTooLong || status]);
        if (!isWholeTooLong) expect(refused.body).toContain(words);
      }
      expect(at.log).toEqual([]);
    },
  );
});

test.each(Object.entries(HEADER_REQUESTS))(
  "the header %s is rejected with 431 beyond its limit",
  async (name, ask) => {
    const at = await posts(startPlaten());
    const most = MAX_HEADER_LENGTHS[name as HeaderName];
    expect((await ask(at, most)).status).not.toBe(431);
    for (const length of [most + 1, 2 * most, 4 * most]) {
      const { status, body } = await ask(at, length);
      expect([length, status]).toEqual([length, 431]);
      expect(body.toLowerCase()).toContain(`${name} must be at most ${most} characters`);
    }
    expect(at.log).toEqual([]);
  },
);

test("every route rejects too long input without a 5xx", async () => {
  const at = startPlaten();
  const tooLong: [name: string, path: string, headers: Record<string, string>][] = [
    ["address", `?a=${x(MAX_LENGTHS.address)}`, {}],
    ["host", "", { host: x(MAX_LENGTHS.host + 1) }],
    ...Object.entries(MAX_HEADER_LENGTHS).map(([name, most]): (typeof tooLong)[number] => [
      name,
      "",
      { [name]: name === "content-length" ? "9".repeat(most + 1) : x(most + 1) },
    ]),
  ];
  const paths = new Set(
    allRoutes(at.platen).map(({ path }) => path.replace(/[:*][a-z]*/g, "a").replace(/^\/a$/, "/")),
  );
  const failed: string[] = [];
  for (const path of paths)
    for (const method of ["GET", "POST"])
      for (const [name, more, headers] of tooLong) {
        const url = `http://${headers.host ?? "blog.test"}${path}${more}`;
        const { status } = await at.fetch(url, { method, headers, body: method === "POST" ? "a" : null });
        if (status >= 500) failed.push(`${method} ${path}, ${name}: ${status}`);
      }
  expect(failed).toEqual([]);
  expect(at.log).toEqual([]);
});

test("headers are read only by the function that checks their length", async () => {
  const strays: string[] = [];
  for (const { path, top } of files) {
    // The fediverse reads headers that `signedHeaders` has measured; the self-test reads responses.
    if (path === "http/requests/headers.ts" || ["outgoing", "fediverse"].includes(top)) continue;
    if (path.startsWith("commands/selftest/")) continue;
    const source = await Bun.file(`src/${path}`).text();
    if (
      /request\.headers|\bheaders\.(get|has)\("(?!content-(type|encoding|security)|etag|location|cache-control)/.test(
        source,
      )
    )
      strays.push(path);
  }
  expect(strays).toEqual([]);
});

test("komment fields are measured before they are trimmed: thousands of spaces are too long, not empty", async () => {
  const at = await posts(startPlaten());
  for (const [field, most] of Object.entries({ name: 100, address: 300, text: 5000 }))
    for (const length of [4 * most + 1, 60_000]) {
      const answer = await write(at, { [field]: " ".repeat(length) });
      expect([field, length, answer.status]).toEqual([field, length, 422]);
      expect(await answer.text()).toContain(`must be at most ${most} characters`);
    }
});

describe("JSON", () => {
  test.each(["/api/v1/posts", "/micropub"])("that is nested too deeply gets 400 at %s", async (path) => {
    const at = startPlaten();
    const deep = (levels: number) => `{"post":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    for (const levels of [1000, 1_000_000])
      expect((await json(at, path, deep(levels))).status).toBeLessThan(500);
  });

  test("may have strings with any escapes", async () => {
    const at = startPlaten();
    const titles = ['a"b', "a\\", '\\"', '"', "\\\\", '",[{', "é☕\u0041"];
    for (const title of titles) {
      const answer = await json(at, "/api/v1/posts", { post: { title, tags: ["\\", '"'] } });
      expect([title, answer.status, JSON.parse(answer.body).post.title]).toEqual([title, 201, title]);
    }
  });

  test("of a Micropub property has a maximum number of values", async () => {
    const at = startPlaten();
    const values = (count: number) => Array.from({ length: count }, (_, at) => ({ a: at }));
    const create = (count: number) =>
      json(at, "/micropub", { properties: { content: ["a"], x: values(count) } });
    const propertiesNamed = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, "a"]));
    expect((await json(at, "/micropub", { properties: propertiesNamed(MAX_COUNTS.properties) })).status).toBe(
      422,
    );
    expect(await json(at, "/micropub", { properties: propertiesNamed(MAX_COUNTS.properties + 1) })).toEqual({
      status: 400,
      body: expect.stringContaining(`at most ${MAX_COUNTS.properties} properties`),
    });
    expect((await create(MAX_COUNTS.values)).status).toBe(201);
    expect(await create(MAX_COUNTS.values + 1)).toEqual({
      status: 400,
      body: expect.stringContaining(`x must have at most ${MAX_COUNTS.values}`),
    });
    const added = await json(at, "/micropub", {
      action: "update",
      url: "http://blog.test/a",
      add: { x: ["one more"] },
    });
    expect(added).toEqual({ status: 422, body: expect.stringContaining("x must be at most") });
  });
});

test("a form has a maximum number of fields", async () => {
  const at = startPlaten();
  const fields = (count: number) => `content=a${"&mp-a=1".repeat(count - 1)}`;
  expect((await micropub(at, fields(MAX_COUNTS.formFields))).status).toBe(201);
  for (const count of [MAX_COUNTS.formFields + 2, 1_000_000])
    expect(await micropub(at, fields(count))).toEqual({
      status: 400,
      body: expect.stringContaining(`at most ${MAX_COUNTS.formFields} fields`),
    });
});

test("forms of pages and apps over 64 KB are rejected without being read further", async () => {
  const at = await posts(startPlaten());
  for (const path of [
    "/auth/token",
    "/auth/revoke",
    "/auth",
    "/auth/sign-in",
    "/auth/consent",
    "/setup",
    "/komments/tea",
  ]) {
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(10_000, "a")),
    });
    const answer = await statusAndBody(
      at.fetch(path, { method: "POST", body: endless, headers: { "sec-fetch-site": "same-origin" } }),
    );
    expect([path, answer.status]).toEqual([path, 413]);
    expect(answer.body).toContain(`${MAX_BYTES.form / 1024} KB`);
  }
});
