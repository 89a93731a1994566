/** Requests that try to keep a server busy by length, number and repetition. */

const MEGABYTE = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const PARTS = "multipart/form-data; boundary=cut";

interface HostileInput {
  name: string;
  path: string;
  isAnonymous?: boolean;
  type?: string;
  body?: string;
  headers?: Record<string, string>;
}

const x = (length: number) => "x".repeat(length);
const reader = (fields: Record<string, string>) =>
  new URLSearchParams({ name: "a", text: "a", ...fields }).toString();
const part = (head: string, content: string) =>
  `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const many = (count: number, of: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => of(at)).join(",");

const READERS: [name: string, fields: Record<string, string>][] = [
  ["an address of 63,000 dots", { address: ".".repeat(63_000) }],
  ["an address of 300 dots behind an @", { address: `a@${".".repeat(297)} ` }],
  ["a name of 20,000 spaces", { name: " ".repeat(20_000) }],
  ["a text of 60,000 spaces", { text: " ".repeat(60_000) }],
  ["a ticket of 60,000 letters", { ticket: x(60_000) }],
];

const MICROPUB_FORMS: [name: string, body: string][] = [
  ["a name of 80 KB", `${x(80_000)}=a`],
  ["a name of 80 KB in brackets", `a[${"[0]".repeat(27_000)}=a`],
  ["a name of 200 brackets", `${"a[".repeat(100)}=a`],
  ["a destination of slashes", `content=a&mp-destination=${"/".repeat(9 * MEGABYTE)}`],
  ["a slug of 9 MB", `content=a&mp-slug=${"é".repeat(4 * MEGABYTE)}`],
  ["a time of 9 MB", `content=a&published=2026-01-01T00:00:00.${"0".repeat(9 * MEGABYTE)}`],
  ["three million fields", "a=&".repeat(3 * MEGABYTE)],
  ["two thousand names", many(2000, (at) => `&p${at}[]=a`).replaceAll(",", "")],
  ["ten megabytes of signs", `content=${"%".repeat(10 * MEGABYTE - 20)}`],
  ["a url of 9 MB", `action=delete&url=http://a.example/${x(9 * MEGABYTE)}`],
];

const BODIES: [name: string, body: string][] = [
  ["ten million brackets", "[".repeat(10 * MEGABYTE)],
  ["three million lists", `[${"[],".repeat(3 * MEGABYTE)}1]`],
  ["ten million digits", "9".repeat(10 * MEGABYTE)],
  ["ten million quotes", '"'.repeat(10 * MEGABYTE)],
  ["five million escapes", `{"post":{"title":"${'\\"'.repeat(5 * MEGABYTE - 20)}"}}`],
  ["a title of 10 MB", `{"post":{"title":"${" ".repeat(10 * MEGABYTE - 100)}"}}`],
  ["a slug of 10 MB", `{"post":{"title":"a","slug":"${x(10 * MEGABYTE - 100)}"}}`],
  ["a time of 10 MB", `{"post":{"title":"a","published_at":"${"9".repeat(10 * MEGABYTE - 100)}"}}`],
  ["99,000 tags", `{"post":{"title":"a","tags":[${many(99_000, (at) => `"t${at}"`)}]}}`],
  ["99,000 tags, none a text", `{"post":{"title":"a","tags":[${many(99_000, String)}]}}`],
  ["99,000 alt texts", `{"post":{"title":"a","alt_text":{${many(99_000, (at) => `"${at}.jpg":"a"`)}}}}`],
  ["99,000 unknown fields", `{"post":{"title":"a",${many(99_000, (at) => `"f${at}":1`)}}}`],
];

const MICROPUB_BODIES: [name: string, body: string][] = [
  ["90,000 properties", `{"properties":{${many(90_000, (at) => `"p${at}":"a"`)}}}`],
  ["90,000 values", `{"properties":{"content":"a","x":[${many(90_000, (at) => `{"a":${at}}`)}]}}`],
  ["90,000 photos", `{"properties":{"photo":[${many(90_000, (at) => `"http://a.example/${at}"`)}]}}`],
  [
    "500 values added to 500",
    `{"action":"update","url":"URL/values","add":{"x":[${many(500, (at) => `{"b":${at}}`)}]}}`,
  ],
];

const FORMS_OF_PARTS: [name: string, body: string][] = [
  ["50,000 boundaries", `${"--cut\r\n".repeat(50_000)}--cut--`],
  ["5,000 parts", `${part('name="a"', "x").repeat(5000)}--cut--`],
  ["5,000 files", `${part('name="a"; filename="a"', "x").repeat(5000)}--cut--`],
  ["headers without end", `--cut\r\n${"X: y\r\n".repeat(500_000)}`],
  ["a name without end", `--cut\r\nContent-Disposition: form-data; name="${x(5 * MEGABYTE)}`],
  ["nothing but a preamble", `\r\n--cu${"\r\n--cu".repeat(MEGABYTE)}`],
  ["nine megabytes of text", `${part('name="content"', "&".repeat(9 * MEGABYTE))}--cut--`],
  [
    "a part that begins with the closing boundary",
    '--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n--cut--\r\n',
  ],
];

const HEADERS: [name: string, headers: Record<string, string>][] = [
  ["Accept-Encoding of spaces", { "accept-encoding": `a${" ".repeat(15_000)}b` }],
  ["Accept-Encoding of commas", { "accept-encoding": ",".repeat(15_000) }],
  ["If-None-Match of commas", { "if-none-match": ",".repeat(15_000) }],
  ["Cookie of semicolons", { cookie: "a=b;".repeat(3700) }],
  ["X-Forwarded-For of brackets", { "x-forwarded-for": `[${"]".repeat(15_000)}` }],
  ["Authorization of spaces", { authorization: `Bearer ${" ".repeat(15_000)}a` }],
  ["User-Agent of 15,000 letters", { "user-agent": "b".repeat(15_000) }],
];

const ADDRESSES: [name: string, path: string][] = [
  ["a search of 7,900 brackets", `/search?q=${"(".repeat(7900)}`],
  ["a search of 3,900 words", `/search?q=${"a+".repeat(3900)}`],
  ["a path of 7,900 slashes", "/".repeat(7900)],
  ["a path of 2,600 encoded slashes", `/${"%2F".repeat(2600)}`],
  ["a path of 12,000 letters", `/${x(12_000)}`],
  ["an app of 1,900 dots", `/auth?client_id=http://a.example/${"/.".repeat(950)}`],
  ["an app's user of 1,900 slashes", `/auth?response_type=code&me=${"/".repeat(1900)}`],
  ["a media path of 2,600 segments", `/media/${"a/".repeat(2600)}`],
];

export const HOSTILE_REQUESTS: HostileInput[] = [
  ...READERS.map(([name, fields]) => ({
    name: `reader: ${name}`,
    path: "/komments/tea",
    isAnonymous: true,
    type: FORM,
    body: reader(fields),
  })),
  ...HEADERS.map(([name, headers]) => ({
    name: `header: ${name}`,
    path: "/tea",
    isAnonymous: true,
    headers,
  })),
  ...ADDRESSES.map(([name, path]) => ({ name: `address: ${name}`, path, isAnonymous: true })),
  ...BODIES.map(([name, body]) => ({ name: `JSON: ${name}`, path: "/api/v1/posts", type: JSON_TYPE, body })),
  {
    name: "JSON: five million escapes, to be done once",
    path: "/api/v1/posts",
    type: JSON_TYPE,
    body: BODIES[4]?.[1],
    headers: { "idempotency-key": "a" },
  },
  ...MICROPUB_FORMS.map(([name, body]) => ({
    name: `Micropub: ${name}`,
    path: "/micropub",
    type: FORM,
    body,
  })),
  ...MICROPUB_BODIES.map(([name, body]) => ({
    name: `Micropub: ${name}`,
    path: "/micropub",
    type: JSON_TYPE,
    body,
  })),
  ...FORMS_OF_PARTS.flatMap(([name, body]) =>
    ["/micropub", "/api/v1/attachments"].map((path) => ({
      name: `parts at ${path}: ${name}`,
      path,
      type: PARTS,
      body,
    })),
  ),
  {
    name: "parts: a boundary of 375 letters",
    path: "/micropub",
    type: `multipart/form-data; boundary=${x(375)}`,
    body: "a",
  },
  ...["/", "/tea", "/micropub", "/api/v1/posts", "/auth/token"].map((path) => ({
    name: `ten megabytes from nobody at ${path}`,
    path,
    isAnonymous: true,
    type: FORM,
    body: `a=${x(10 * MEGABYTE - 2)}`,
  })),
];

/** The post that "500 values added to 500" changes. */
export const VALUES = {
  properties: { name: ["values"], x: Array.from({ length: 500 }, (_, at) => ({ a: at })) },
};

export function sendHostile(url: string, key: string, request: HostileInput): Promise<Response> {
  const { path, isAnonymous, type, body, headers = {} } = request;
  return fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    redirect: "manual",
    body: body?.replace("URL", url),
    headers: {
      ...(type === undefined ? undefined : { "content-type": type }),
      ...(isAnonymous ? undefined : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });
}
