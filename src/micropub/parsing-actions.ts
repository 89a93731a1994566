import { MAX_COUNTS, MAX_LENGTHS } from "../config/request-limits";
import { malformed } from "../errors";
import type { Properties } from "../posts/post/mf2-properties";
import { isObject } from "../text/json";

export type FormField = [name: string, value: string];

/** Form fields (names keep their brackets) or JSON. */
export type ParsedBody = { form: FormField[] } | { json: unknown };

/** `mp-…` properties and `blog_id`: commands to the server, never part of a post (W3C Micropub 3.2). */
export type Commands = Properties;

export type Action =
  | { action: "create"; properties: Properties; commands: Commands }
  | { action: "update"; url: string; operations: Operations; commands: Commands }
  | { action: "delete" | "undelete"; url: string; commands: Commands };

/** W3C Micropub 3.4. */
export interface Operations {
  replace: Properties;
  add: Properties;
  remove: Properties;
  removeAll: string[];
}

/** Form fields that are not properties (W3C Micropub 3.2), and the query parameter `q`. */
const RESERVED_FIELDS = ["access_token", "h", "action", "url", "q"];

export function parseAction(sent: ParsedBody): Action {
  return "form" in sent ? parseFormAction(sent.form) : parseJsonAction(sent.json);
}

/** `a=1&a=2`, `a[]=1` and `a[0]=1` make lists; `a[html]=…` and `a[0][value]=…&a[0][alt]=…` make objects. */
export function propertyLists(form: FormField[]): Properties {
  const lists = new Map<string, unknown[]>();
  for (const [field, value] of form) {
    const { name, key } = parseFieldName(field);
    const list = lists.getOrInsert(name, []);
    const last = list.at(-1);
    if (key === undefined) list.push(value);
    else if (last instanceof Map && !last.has(key)) last.set(key, value);
    else list.push(new Map([[key, value]]));
  }
  assertPropertyCount(lists.size);
  const plain = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return Object.fromEntries([...lists].map(([name, list]) => [name, list.map(plain)]));
}

function assertPropertyCount(properties: number): void {
  if (properties > MAX_COUNTS.properties)
    throw malformed(`A request must have at most ${MAX_COUNTS.properties} properties.`);
}

function parseFieldName(field: string): { name: string; key?: string } {
  assertShortName(field);
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

function assertShortName(name: string): void {
  if (name.length <= MAX_LENGTHS.fieldName) return;
  throw malformed(`The name ${name.slice(0, 50)}… is longer than ${MAX_LENGTHS.fieldName} characters.`);
}

function parseFormAction(form: FormField[]): Action {
  const lists = propertyLists(form);
  const { properties, commands } = splitCommands(lists);
  const action = optionalText(lists.action?.[0]) ?? "create";
  if (action === "delete" || action === "undelete")
    return { action, url: requiredUrl(lists.url?.[0]), commands };
  if (action === "update") throw malformed("An update must be sent as JSON (application/json).");
  if (action !== "create") throw unknownAction(action);
  requireEntry(optionalText(lists.h?.[0]) ?? "entry");
  const own = Object.entries(properties).filter(([name]) => !RESERVED_FIELDS.includes(name));
  return { action, properties: Object.fromEntries(own), commands };
}

function parseJsonAction(body: unknown): Action {
  if (!isObject(body)) throw malformed("The request body must be a JSON object.");
  const { commands } = splitCommands(listsOf(body));
  const action = optionalText(body.action) ?? "create";
  if (action === "delete" || action === "undelete") return { action, url: requiredUrl(body.url), commands };
  if (action === "update") return parseUpdate(body, commands);
  if (action !== "create") throw unknownAction(action);
  const type = optionalText(Array.isArray(body.type) ? body.type[0] : body.type) ?? "h-entry";
  requireEntry(type.replace(/^h-/, ""));
  if (!isObject(body.properties)) throw malformed("properties must be an object.");
  const sent = splitCommands(listsOf(body.properties));
  return { action, properties: sent.properties, commands: { ...commands, ...sent.commands } };
}

function parseUpdate(body: Record<string, unknown>, commands: Commands): Action {
  const replace = splitCommands(replaceOperation(body));
  const add = splitCommands(operationOf(body, "add"));
  const removeAll = Array.isArray(body.delete) ? body.delete.map(deletedName) : [];
  const remove = Array.isArray(body.delete) ? {} : operationOf(body, "delete");
  const all = { ...commands, ...replace.commands, ...add.commands };
  const names = ["replace", "add", "delete"].filter((name) => body[name] !== undefined);
  if (names.length === 0 && Object.keys(all).length === 0)
    throw malformed("An update needs replace, add or delete.");
  const operations = { replace: replace.properties, add: add.properties, remove, removeAll };
  return { action: "update", url: requiredUrl(body.url), operations, commands: all };
}

function operationOf(body: Record<string, unknown>, name: string): Properties {
  const operation = body[name];
  if (operation === undefined || operation === null) return {};
  if (!isObject(operation))
    throw malformed(`${name} must be an object of property names with lists of values.`);
  return listsOf(operation);
}

/** `replace` needs lists (W3C Micropub 3.4), but Micro.blog's app sends `name: null` for no title. */
function replaceOperation(body: Record<string, unknown>): Properties {
  const lists = operationOf(body, "replace");
  for (const [name, values] of Object.entries(body.replace ?? {}))
    if (!Array.isArray(values) && !isCommand(name) && !(name === "name" && values === null))
      throw malformed(`replace.${name} must be a list of values: ["…"].`);
  return lists;
}

function deletedName(name: unknown): string {
  if (typeof name !== "string") throw malformed("delete must be an object or a list of property names.");
  return name;
}

/** Clients may send single values without a list, and null for none. */
function listsOf(object: Record<string, unknown>): Properties {
  assertPropertyCount(Object.keys(object).length);
  const lists = Object.entries(object).map(([name, value]) => {
    assertShortName(name);
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (values.length > MAX_COUNTS.values)
      throw malformed(`${name} must have at most ${MAX_COUNTS.values} values.`);
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
    throw malformed(`Only entries (h=entry) can be created, not ${kind.slice(0, MAX_LENGTHS.fieldName)}.`);
}

/** Never converts values, because a sent object may have a `toString` property. */
function optionalText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw malformed("action, type and h must be strings.");
  return value;
}

function requiredUrl(url: unknown): string {
  const address = Array.isArray(url) ? url[0] : url;
  if (typeof address !== "string" || address.trim() === "")
    throw malformed("url is missing. Send the URL of the post.");
  if (address.length > MAX_LENGTHS.webAddress)
    throw malformed(`url must be at most ${MAX_LENGTHS.webAddress} characters.`);
  return address;
}

const unknownAction = (action: string) =>
  malformed(
    `Unknown action "${action.slice(0, MAX_LENGTHS.fieldName)}". Use create, update, delete or undelete.`,
  );
