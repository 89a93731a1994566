import { Elysia } from "elysia";
import { accountById } from "../../src/accounts/accounts";
import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { api } from "../../src/api/api";
import type { Config } from "../../src/config/config";
import { type Sockets, setSockets } from "../../src/http/requests/call";
import { indieauth } from "../../src/indieauth/indieauth";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { newPasswordRoutes } from "../../src/owner/new-password-routes";
import { signInRoutes } from "../../src/owner/sign-in-routes";
import { resolverOf } from "../outgoing/receivers";
import { type Browser, browserAt, type Fields, formOf } from "../support/cookie-browser";
import { startPlaten, type TestPlaten } from "../support/platen";

export const EMAIL = "ada@example.com";
export const PASSWORD = "a long enough one";

export interface SignIn extends TestPlaten {
  browser: Browser;
  newBrowser(): Browser;
  /** Sets the address of further requests. */
  atPeer(sockets: NonNullable<Sockets>): void;
  changePassword(hash: string): void;
  /** Posts a form like an app, without a browser. */
  appPost(path: string, fields: Fields, headers?: Record<string, string>): Promise<AppResponse>;
  appGet(path: string, key: string): Promise<AppResponse>;
}

export interface AppResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the test is about
  body: any;
}

const hash = hashPassword(PASSWORD);

/** A Platen whose owner has a password. @param hosts names that resolve to this machine; no others exist */
export async function startSignIn(
  settings: Partial<Config> = {},
  hosts: Record<string, string[]> = {},
): Promise<SignIn> {
  const at = startPlaten({ privateHosts: ["127.0.0.1"], ...settings });
  setPassword(at.platen, at.account, await hash);
  const web = guardedClient(at.platen.config, { resolve: resolverOf(hosts) });
  const app = new Elysia()
    .use(api(at.platen))
    .use(signInRoutes(at.platen))
    .use(newPasswordRoutes(at.platen))
    .use(indieauth(at.platen, web));
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
    atPeer: (sockets) => setSockets(at.platen, sockets),
    changePassword: (hash) => setPassword(at.platen, at.account, hash),
    newBrowser: () => browserAt(base, fetch),
    appPost: async (path, fields, headers = {}) =>
      appAnswer(await fetch(path, { method: "POST", body: formOf(fields), headers })),
    appGet: async (path, key) =>
      appAnswer(await fetch(path, { headers: { authorization: `Bearer ${key}` } })),
  };
}

export const enter = (browser: Browser, fields: Fields = {}, headers?: Record<string, string>) =>
  browser.post("/auth/sign-in", { email: EMAIL, password: PASSWORD, ...fields }, headers);
