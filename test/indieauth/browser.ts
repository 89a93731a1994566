import { Elysia } from "elysia";
import { accountById } from "../../src/accounts/accounts";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { api } from "../../src/api/api";
import type { Config } from "../../src/config";
import type { Sockets } from "../../src/http/requests/call";
import { indieauth } from "../../src/indieauth/indieauth";
import { outgoing } from "../../src/outgoing/fetching";
import { signIn } from "../../src/owner/sign-in-routes";
import { named } from "../outgoing/receivers";
import { startPlaten, type TestPlaten } from "../support/platen";

export const EMAIL = "ada@example.com";
export const PASSWORD = "a long enough one";

export const VERIFIER = "a-verifier-that-nobody-guesses-0123456789-abcdef";
export const CHALLENGE = new Bun.CryptoHasher("sha256").update(VERIFIER).digest("base64url");

/** What an app sends its user to /auth with. */
export const REQUEST = {
  response_type: "code",
  client_id: "https://app.example/",
  redirect_uri: "https://app.example/callback",
  state: "st&te=1",
  code_challenge: CHALLENGE,
  code_challenge_method: "S256",
  scope: "create update media profile",
  me: "http://blog.test/",
};

/** Somebody's browser: it keeps cookies and says where a form is from. */
export interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, fields: Fields, headers?: Record<string, string>): Promise<Response>;
  cookies: Map<string, string>;
}

type Fields = Record<string, string | string[]>;

export interface SignIn extends TestPlaten {
  browser: Browser;
  newBrowser(): Browser;
  /** Who is at the other end from now on. */
  atPeer(sockets: NonNullable<Sockets>): void;
  changePassword(hash: string): void;
  /** A form post without a browser: an app's own. */
  appPost(path: string, fields: Fields, headers?: Record<string, string>): Promise<AppAnswer>;
  appGet(path: string, key: string): Promise<AppAnswer>;
}

export interface AppAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the test is about
  body: any;
}

const hash = hashPassword(PASSWORD);

/**
 * A Platen whose owner has a password.
 * @param hosts the names that lead to this machine; no other name exists
 */
export async function startSignIn(
  settings: Partial<Config> = {},
  hosts: Record<string, string[]> = {},
): Promise<SignIn> {
  const at = startPlaten({ privateHosts: ["127.0.0.1"], ...settings });
  setPassword(at.platen, at.account, await hash);
  const web = outgoing(at.platen.config, { resolve: named(hosts) });
  const app = new Elysia().use(api(at.platen)).use(signIn(at.platen)).use(indieauth(at.platen, web));
  const base = at.platen.config.url;
  const fetch = (path: string, init?: RequestInit) =>
    app.handle(new Request(path.startsWith("http") ? path : base + path, init));
  const appAnswer = async (response: Response) => {
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    ...at,
    account: accountById(at.platen, at.account.id) as typeof at.account,
    fetch,
    browser: browserAt(base, fetch),
    atPeer: (sockets) => {
      app.server = sockets as unknown as typeof app.server;
    },
    changePassword: (hash) => setPassword(at.platen, at.account, hash),
    newBrowser: () => browserAt(base, fetch),
    appPost: async (path, fields, headers = {}) =>
      appAnswer(await fetch(path, { method: "POST", body: formOf(fields), headers })),
    appGet: async (path, key) =>
      appAnswer(await fetch(path, { headers: { authorization: `Bearer ${key}` } })),
  };
}

function browserAt(base: string, fetch: (path: string, init?: RequestInit) => Promise<Response>): Browser {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> }) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(path, { ...init, headers: { cookie, ...init.headers } });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) as unknown as [string, string, string];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    get: (path, headers) => send(path, { headers }),
    post: (path, fields, headers = { origin: base }) =>
      send(path, { method: "POST", body: formOf(fields), headers }),
  };
}

function formOf(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  return form;
}

export const enter = (browser: Browser, fields: Fields = {}, headers?: Record<string, string>) =>
  browser.post("/auth/sign-in", { email: EMAIL, password: PASSWORD, ...fields }, headers);

export const authPath = (changes: Record<string, string | undefined> = {}) => {
  const query = Object.entries({ ...REQUEST, ...changes }).filter(([, value]) => value !== undefined);
  return `/auth?${new URLSearchParams(query as [string, string][])}`;
};

/** The hidden fields, and what is ticked, of the page's first form. */
export function fieldsIn(page: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  const form = page.slice(page.indexOf("<form"), page.indexOf("</form>"));
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    if (/type="(checkbox|radio)"/.test(tag) && !tag.includes(" checked")) continue;
    const [, name] = /name="([^"]*)"/.exec(tag) as unknown as [string, string];
    fields[name] = [...(fields[name] ?? []), /value="([^"]*)"/.exec(tag)?.[1] ?? ""];
  }
  return fields;
}

/** Goes through sign-in and consent, and gives the address that the app is called back at. */
export async function consent(
  { browser }: SignIn,
  changes: Record<string, string | undefined> = {},
  answer: Fields = {},
): Promise<URL> {
  if (browser.cookies.size === 0) await enter(browser);
  const page = await browser.get(authPath(changes));
  if (page.status !== 200) throw new Error(`${page.status}: ${await page.text()}`);
  const sent = await browser.post("/auth/consent", {
    ...fieldsIn(await page.text()),
    answer: "allow",
    ...answer,
  });
  if (sent.status !== 302) throw new Error(`${sent.status}: ${await sent.text()}`);
  return new URL(sent.headers.get("location") as string);
}

export const exchange = (at: SignIn, back: URL, changes: Record<string, string> = {}, path = "/auth/token") =>
  at.appPost(path, {
    grant_type: "authorization_code",
    code: back.searchParams.get("code") as string,
    client_id: REQUEST.client_id,
    redirect_uri: REQUEST.redirect_uri,
    code_verifier: VERIFIER,
    ...changes,
  });
