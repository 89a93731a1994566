import { MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { malformed } from "../../errors";
import type { Properties } from "../../posts/post/mf2-properties";

export type Field = [name: string, value: string];

/** A body as it was sent: the fields of a form, names with their brackets, or JSON. */
export type Sent = { form: Field[] } | { json: unknown };

/** `mp-…` properties and `blog_id`: commands to the server, never part of a post (W3C Micropub 3.2). */
export type Commands = Properties;

/** What is asked for, from a form or JSON alike. */
export type Action =
  | { action: "create"; properties: Properties; commands: Commands }
  | { action: "update"; url: string; operations: Operations; commands: Commands }
  | { action: "delete" | "undelete"; url: string; commands: Commands };

/** What an update names; everything else stays (W3C Micropub 3.4). */
export interface Operations {
  replace: Properties;
  add: Properties;
  /** Values to take out, by property. */
  remove: Properties;
  /** Properties to take out whole. */
  removeAll: string[];
}

/** Fields of a form that are no properties of the post (W3C Micropub 3.3.1). */
const RESERVED = ["access_token", "h", "action", "url", "q"];

/** @throws Refusal (malformed) */
export function actionIn(sent: Sent): Action {
  return "form" in sent ? actionInForm(sent.form) : actionInJson(sent.json);
}

/** `a=1&a=2`, `a[]=1`, `a[0]=1` are lists of a; `a[html]=…` is an object, as `a[0][value]=…&a[0][alt]=…` is. */
export function listsIn(form: Field[]): Properties {
  const lists = new Map<string, unknown[]>();
  for (const [field, value] of form) {
    const { name, key } = nameIn(field);
    const list = lists.get(name) ?? [];
    lists.set(name, list);
    if (key === undefined) list.push(value);
    else addKeyed(list, key, value);
  }
  demandFew(lists.size);
  return Object.fromEntries(lists);
}

/** @throws Refusal (malformed) */
function demandFew(properties: number): void {
  if (properties > MAX_COUNTS.properties)
    throw malformed(`A post has at most ${MAX_COUNTS.properties} properties at once.`);
}

/** The parts of `name`, `name[]`, `name[0]`, `name[key]`, `name[0][key]` and `name[0][key][]`; others are a name whole. */
function nameIn(field: string): { name: string; key?: string } {
  demandShortName(field);
  const start = field.indexOf("[");
  const whole = { name: field };
  if (start < 1 || !field.endsWith("]")) return whole;
  const name = field.slice(0, start);
  const keys = field.slice(start + 1, -1).split("][");
  if (/[[\]]/.test(name + keys.join(""))) return whole;
  const isIndex = (key: string | undefined) => key !== undefined && /^\d*$/.test(key);
  if (isIndex(keys[0])) keys.shift();
  const key = keys.length > 0 && !isIndex(keys[0]) ? keys.shift() : undefined;
  if (keys[0] === "") keys.shift();
  return keys.length === 0 ? { name, key } : whole;
}

/** @throws Refusal (malformed) */
export function demandShortName(name: string): void {
  if (name.length <= MAX_LENGTHS.fieldName) return;
  throw malformed(`The name ${name.slice(0, 50)}… is longer than ${MAX_LENGTHS.fieldName} characters.`);
}

/** Starts a new object where the last one of the list has this key already. */
function addKeyed(list: unknown[], key: string, value: string): void {
  const last = list.at(-1);
  if (last instanceof Map && !last.has(key)) last.set(key, value);
  else list.push(new Map([[key, value]]));
}

function actionInForm(form: Field[]): Action {
  const lists = withPlainObjects(listsIn(form));
  const { properties, commands } = splitCommands(lists);
  const action = textIn(lists.action?.[0]) ?? "create";
  if (action === "delete" || action === "undelete")
    return { action, url: addressOf(lists.url?.[0]), commands };
  if (action === "update") throw malformed("An update must be sent as JSON (application/json).");
  if (action !== "create") throw unknownAction(action);
  requireEntry(textIn(lists.h?.[0]) ?? "entry");
  const own = Object.entries(properties).filter(([name]) => !RESERVED.includes(name));
  return { action, properties: Object.fromEntries(own), commands };
}

function withPlainObjects(lists: Properties): Properties {
  const plain = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.map(plain)]));
}

function actionInJson(body: unknown): Action {
  if (!isObject(body)) throw malformed("The body must be a JSON object.");
  const { commands } = splitCommands(listsOf(body));
  const action = textIn(body.action) ?? "create";
  if (action === "delete" || action === "undelete") return { action, url: addressOf(body.url), commands };
  if (action === "update") return updateIn(body, commands);
  if (action !== "create") throw unknownAction(action);
  const type = textIn(Array.isArray(body.type) ? body.type[0] : body.type) ?? "h-entry";
  requireEntry(type.replace(/^h-/, ""));
  if (!isObject(body.properties)) throw malformed("properties is missing, or no object.");
  const sent = splitCommands(listsOf(body.properties));
  return { action, properties: sent.properties, commands: { ...commands, ...sent.commands } };
}

function updateIn(body: Record<string, unknown>, commands: Commands): Action {
  const replace = splitCommands(replacedIn(body));
  const add = splitCommands(operationOf(body, "add"));
  const removeAll = Array.isArray(body.delete) ? body.delete.map(nameOf) : [];
  const remove = Array.isArray(body.delete) ? {} : operationOf(body, "delete");
  const all = { ...commands, ...replace.commands, ...add.commands };
  const names = ["replace", "add", "delete"].filter((name) => body[name] !== undefined);
  if (names.length === 0 && Object.keys(all).length === 0)
    throw malformed("An update needs replace, add or delete.");
  const operations = { replace: replace.properties, add: add.properties, remove, removeAll };
  return { action: "update", url: addressOf(body.url), operations, commands: all };
}

function operationOf(body: Record<string, unknown>, name: string): Properties {
  const operation = body[name];
  if (operation === undefined || operation === null) return {};
  if (!isObject(operation))
    throw malformed(`${name} must be an object of property names and lists of values.`);
  return listsOf(operation);
}

/**
 * A bare value might have been meant to be added: what replaces is a list (W3C Micropub 3.4). Micro.blog's app sends a
 * name of null for no title.
 */
function replacedIn(body: Record<string, unknown>): Properties {
  const lists = operationOf(body, "replace");
  for (const [name, values] of Object.entries(body.replace ?? {}))
    if (!Array.isArray(values) && !isCommand(name) && !(name === "name" && values === null))
      throw malformed(`replace.${name} must be a list of values: ["…"].`);
  return lists;
}

function nameOf(name: unknown): string {
  if (typeof name !== "string") throw malformed("delete must be an object, or a list of property names.");
  return name;
}

/** Clients send single values bare, and null for nothing. */
function listsOf(object: Record<string, unknown>): Properties {
  demandFew(Object.keys(object).length);
  const lists = Object.entries(object).map(([name, value]): [string, unknown[]] => {
    demandShortName(name);
    const values = Array.isArray(value) ? value : [value];
    if (values.length > MAX_COUNTS.values)
      throw malformed(`${name} has more than ${MAX_COUNTS.values} values.`);
    return [name, values.filter((item) => item !== null)];
  });
  return Object.fromEntries(lists);
}

function splitCommands(lists: Properties): { properties: Properties; commands: Commands } {
  const all = Object.entries(lists);
  return {
    properties: Object.fromEntries(all.filter(([name]) => !isCommand(name))),
    commands: Object.fromEntries(all.filter(([name]) => isCommand(name))),
  };
}

function isCommand(name: string): boolean {
  return name.startsWith("mp-") || name === "blog_id";
}

function requireEntry(kind: string): void {
  if (kind !== "entry")
    throw malformed(
      `Only entries (h=entry, h-entry) can be made here, no ${kind.slice(0, MAX_LENGTHS.fieldName)}.`,
    );
}

/** Converts nothing to a string: an object sent may have a `toString` property. */
function textIn(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw malformed("action, type and h must be text.");
  return value;
}

function addressOf(url: unknown): string {
  const address = Array.isArray(url) ? url[0] : url;
  if (typeof address !== "string" || address.trim() === "")
    throw malformed("url is missing: the address of the post.");
  if (address.length > MAX_LENGTHS.webAddress)
    throw malformed(`url must be at most ${MAX_LENGTHS.webAddress} characters.`);
  return address;
}

const unknownAction = (action: string) =>
  malformed(
    `There is no action "${action.slice(0, MAX_LENGTHS.fieldName)}"; there are create, update, delete and undelete.`,
  );

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
