import { cpSync, rmSync } from "node:fs";
import { type Account, addAccount } from "../../src/accounts/accounts";
import { makeKey, type NewKey } from "../../src/accounts/api-keys";
import { platenApp } from "../../src/app";
import type { Blog } from "../../src/blogs/blogs";
import { addBlog, type NewBlog } from "../../src/blogs/new-blogs";
import { type Config, readSettings } from "../../src/config/config";
import { openDatabase } from "../../src/database/open";
import type { Platen } from "../../src/platen";
import { writeFinishedDatabase } from "./new-folder";
import { afterTest, temporaryFolder } from "./temporary";

/** Initial time of the tests' clock. */
export const START = new Date("2026-03-01T12:00:00.000Z");
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A Platen with an empty data folder, used through its protocols, and a clock that tests move. */
export interface TestPlaten {
  platen: Platen;
  account: Account;
  blog: Blog;
  /** An API key with the standard scopes. */
  key: string;
  log: string[];
  pass(milliseconds: number): void;
  newKey(options?: NewKey, account?: Account): string;
  newBlog(options: Partial<NewBlog>, account?: Account): Blog;
  newAccount(email: string): Account;
  /** Requests any URL like a browser or client. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The JSON API: `api("POST", "/posts", { post: … })`. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the test is about
  body: any;
}

export function startPlaten(
  settings: Partial<Config> = {},
  firstBlog: NewBlog = { title: "Ada's Blog", slug: "ada" },
): TestPlaten {
  const folder = temporaryFolder("test");
  writeFinishedDatabase(folder);
  return run(folder, settings, START, (platen) => {
    const account = addAccount(platen, { email: "ada@example.com", name: "Ada", isAdmin: true });
    const blog = addBlog(platen, account, firstBlog);
    return { account, blog, key: makeKey(platen, account).text };
  });
}

/** @returns a function that starts copies of a Platen as it is now: with its data, settings, key and time */
export function copierOf({ platen, account, blog, key }: TestPlaten): () => TestPlaten {
  const original = temporaryFolder("original");
  cpSync(platen.config.data, original, { recursive: true });
  const { data: _, ...settings } = platen.config;
  const start = platen.now();
  return () => {
    const folder = temporaryFolder("copy");
    cpSync(original, folder, { recursive: true });
    return run(folder, settings, start, () => ({ account, blog, key }));
  };
}

function run(
  folder: string,
  settings: Partial<Config>,
  start: Date,
  begin: (platen: Platen) => Pick<TestPlaten, "account" | "blog" | "key">,
): TestPlaten {
  let now = start.getTime();
  const log: string[] = [];
  const platen: Platen = {
    config: { ...readSettings({ data: folder }, {}), url: "http://blog.test", ...settings },
    db: openDatabase(folder),
    now: () => new Date(now),
    log: (line) => log.push(line),
  };
  afterTest(() => {
    // Not `closeDatabase`: it keeps a connection open until the process ends.
    platen.db.$client.close(false);
    rmSync(folder, { recursive: true, force: true });
  });
  const app = platenApp(platen);
  const { account, blog, key } = begin(platen);
  const newKey = (options?: NewKey, of = account) => makeKey(platen, of, options).text;

  const fetch = (path: string, init?: RequestInit) =>
    app.handle(new Request(path.startsWith("http") ? path : `http://blog.test${path}`, init));

  const api = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const sent = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const response = await fetch(`/api/v1${path}`, {
      method,
      body: sent,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };

  return {
    platen,
    account,
    blog,
    key,
    log,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    newKey,
    newBlog: (options, of = account) => addBlog(platen, of, { title: "Another", ...options }),
    newAccount: (email) => addAccount(platen, { email }),
    fetch,
    api,
  };
}
