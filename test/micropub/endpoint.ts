import { startPlaten, type TestPlaten } from "../support/platen";

// biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
type Body = any;

export interface MicropubResponse {
  status: number;
  headers: Headers;
  /** The Location header; "" without one. */
  location: string;
  body: Body;
}

/** A Platen used by its Micropub endpoint. */
export interface Endpoint extends TestPlaten {
  /** Sends any request, with the key in its header unless `headers` say otherwise. */
  ask(path: string, init?: RequestInit): Promise<MicropubResponse>;
  /** Posts a form: "h=entry&content=Hello". */
  form(body: string, headers?: Record<string, string>): Promise<MicropubResponse>;
  json(body: unknown, headers?: Record<string, string>): Promise<MicropubResponse>;
  /** Posts JSON of type h-entry with these properties. */
  create(properties: Record<string, unknown>, beside?: Record<string, unknown>): Promise<MicropubResponse>;
  multipart(
    parts: [name: string, value: string | File][],
    path?: string,
    headers?: Record<string, string>,
  ): Promise<MicropubResponse>;
  /** Properties of a post by q=source. */
  source(url: string): Promise<Record<string, Body>>;
  query(parameters: string): Promise<MicropubResponse>;
  page(url: string): Promise<string>;
}

export function startEndpoint(...settings: Parameters<typeof startPlaten>): Endpoint {
  const at = startPlaten(...settings);
  const ask = async (path: string, init: RequestInit = {}) => {
    const authorization = `Bearer ${at.key}`;
    const headers = new Headers({ authorization, ...(init.headers as Record<string, string>) });
    if (headers.get("authorization") === "") headers.delete("authorization");
    const response = await at.fetch(path, { ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get("location") ?? "",
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };
  const post =
    (type: string) =>
    (body: string, headers: Record<string, string> = {}) =>
      ask("/micropub", { method: "POST", body, headers: { "content-type": type, ...headers } });
  const form = post("application/x-www-form-urlencoded; charset=utf-8");
  const json = (body: unknown, headers?: Record<string, string>) =>
    post("application/json")(typeof body === "string" ? body : JSON.stringify(body), headers);
  return {
    ...at,
    ask,
    form,
    json,
    create: (properties, beside = {}) => json({ type: ["h-entry"], properties, ...beside }),
    multipart: (parts, path = "/micropub", headers = {}) => {
      const body = new FormData();
      for (const [name, value] of parts) body.append(name, value);
      return ask(path, { method: "POST", body, headers });
    },
    source: async (url) => (await ask(`/micropub?q=source&url=${encodeURIComponent(url)}`)).body.properties,
    query: (parameters) => ask(`/micropub?${parameters}`),
    page: async (url) => (await at.fetch(url)).text(),
  };
}
