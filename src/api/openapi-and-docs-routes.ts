import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import { type AnyElysia, Elysia, type TSchema, t } from "elysia";
import { SCOPES_FOR, scopeRuleOfRoute } from "../access/scopes";
import { calls } from "../http/requests/call";
import type { TextResponse } from "../http/responses/response";
import { jsonResponse, revalidatedByClient, sendResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { type Html, html, raw } from "../text/html";
import { version } from "../version";
import { paginationShape } from "./pagination-and-filters";

const BASE = "/api/v1";

export function documentRoutes(platen: Platen, routes: AnyElysia) {
  let built: OpenApi | undefined;
  const document = () => {
    built ??= buildDocument(platen, routes);
    return built;
  };
  return new Elysia()
    .use(calls(platen))
    .get("/api/v1/openapi.json", ({ call }) =>
      sendResponse(call, revalidatedByClient(jsonResponse(200, document()))),
    )
    .get("/api/docs", ({ call }) => sendResponse(call, revalidatedByClient(docsPageResponse(document()))));
}

function docsPageResponse(document: OpenApi): TextResponse {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
  return { status: 200, headers, body: documentPage(document).markup };
}

function buildDocument(platen: Platen, routes: AnyElysia): OpenApi {
  const { paths, components } = toOpenAPISchema(routes, { paths: ["/*"] });
  const described = toJsonSchema(paths) as OpenApi["paths"];
  for (const [path, operations] of Object.entries(described))
    for (const [method, operation] of Object.entries(operations))
      addScopesAndHeaders(path, method, operation);
  return {
    openapi: "3.1.0",
    info: {
      title: "Platen JSON API",
      version: "v1",
      description: `Served by Platen ${version}.`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: platen.config.url + BASE }],
    security: [{ key: [] }],
    paths: described,
    components: { ...components, securitySchemes: { key: { type: "http", scheme: "bearer" } } },
  } as OpenApi;
}

/** Elysia describes only parameters that it validates. */
function addScopesAndHeaders(path: string, method: string, operation: Operation): void {
  const rule = scopeRuleOfRoute(method.toUpperCase(), BASE + path.replace(/\{(\w+)\}/g, ":$1"));
  const oneOf: readonly string[] = SCOPES_FOR[rule];
  // Each scope is a requirement of its own, because a key needs only one of them.
  operation.security = oneOf.length === 0 ? [{ key: [] }] : oneOf.map((scope) => ({ key: [scope] }));
  const headers = headersOf(path, method);
  operation.parameters = [...(operation.parameters ?? []), ...headers];
  if (headers.includes(IF_NONE_MATCH)) operation.responses = { ...operation.responses, 304: UNCHANGED };
}

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string", description },
});
const IF_NONE_MATCH = header("If-None-Match", "ETag of an earlier response; 304 if nothing has changed");
const IF_MATCH = header("If-Match", "ETag of the post that you read; 412 if it has changed");
const IDEMPOTENCY_KEY = header("Idempotency-Key", "A repeat within 24 hours gets the first response");
const UNCHANGED = { description: "Not changed" };

function headersOf(path: string, method: string) {
  if (method === "get") return path.startsWith("/blogs/{id}/") ? [] : [IF_NONE_MATCH];
  const repeatable = method === "post" || path.startsWith("/posts") ? [IDEMPOTENCY_KEY] : [];
  return path.startsWith("/posts/{id}") ? [...repeatable, IF_MATCH] : repeatable;
}

type SchemaPart = Record<string, unknown>;

function toJsonSchema<Document>(document: Document): Document {
  if (Array.isArray(document)) return document.map(toJsonSchema) as Document;
  if (typeof document !== "object" || document === null) return document;
  const part = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, toJsonSchema(value)]),
  );
  return toMapSchema(toEnum(toMeantSchema(part))) as Document;
}

/** A parameter made with `sentAs` is a string, but is described by the type that the string means. */
function toMeantSchema({ means, ...rest }: SchemaPart): SchemaPart {
  if (means === undefined) return rest;
  const { pattern, ...meant } = rest;
  return { ...meant, type: means };
}

function toEnum({ anyOf, ...rest }: SchemaPart): SchemaPart {
  if (!Array.isArray(anyOf)) return rest;
  if (!anyOf.every(({ const: value }: SchemaPart) => typeof value === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: anyOf.map((one: SchemaPart) => one.const) };
}

function toMapSchema({ patternProperties, ...rest }: SchemaPart): SchemaPart {
  if (!patternProperties) return rest;
  return { ...rest, additionalProperties: Object.values(patternProperties)[0] };
}

/** Descriptions of routes are not checked at run time. */
const refusal = t.Object({
  message: t.String(),
  errors: t.Optional(t.Record(t.String(), t.Array(t.String()))),
});

const json = (schema: TSchema) => ({ "application/json": { schema } }) as never;
const errorDetail = { description: "Error; message says what to change", content: json(refusal) };

/** Typed as `never`, because Elysia's types expect OpenAPI 3.0 schemas. */
export const answer = (description: string, schema: TSchema) =>
  ({ description, content: json(schema) }) as never;
export const detail = (tag: string, summary: string, responses: Record<number, { description: string }>) => ({
  tags: [tag],
  summary,
  responses: { ...responses, "4XX": errorDetail, "5XX": errorDetail },
});
export const withBody = <Detail>(route: Detail, body: TSchema) => ({
  ...route,
  requestBody: { required: true, content: json(body) },
});
export const listDetail = (tag: string, summary: string, name: string, item: TSchema) =>
  detail(tag, summary, {
    200: answer("One page of the list", t.Object({ [name]: t.Array(item), pagination: paginationShape })),
  });

export const removalDetail = (tag: string, summary: string, description = "Deleted") =>
  detail(tag, summary, { 204: { description } });

interface Schema {
  type?: string;
  description?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
}
interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security?: { key: string[] }[];
  responses?: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}
interface OpenApi {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  [more: string]: unknown;
}

function documentPage(document: OpenApi): Html {
  const base = document.servers[0]?.url ?? "";
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<style>${raw(STYLE)}</style>
<header>
<h1>${document.info.title}</h1>
<p>${document.info.description} Every request needs <code>Authorization: Bearer &lt;API key&gt;</code>. URLs
begin with <code>${base}</code>. Errors are <code>{"message", "errors": {field: […]}}</code>. OpenAPI:
<a href="${base}/openapi.json">openapi.json</a>.</p>
</header>
<nav><ul>${operations.map(({ path, method, operation }) => html`<li><a href="#${anchor(method, path)}"><b>${method}</b> ${path}</a> ${operation.summary}</li>`)}</ul></nav>
<main>${operations.map(({ path, method, operation }) => section(path, method, operation))}</main>
</html>`;
}

function section(path: string, method: string, operation: Operation): Html {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    row(parameter.name, parameter.schema, parameter.required ? "required" : parameter.in),
  );
  const bodies = Object.entries(operation.requestBody?.content ?? {}).slice(0, 1);
  return html`<section id="${anchor(method, path)}">
<h2><b>${method}</b> ${path}</h2>
<p>${operation.summary}. ${neededScopes(operation)}</p>
${parameters.length > 0 && table("Parameters", parameters)}
${bodies.map(([type, { schema }]) => table(`Body, ${type}`, rows(schema)))}
${Object.entries(operation.responses ?? {})
  .filter(([status]) => !status.endsWith("XX"))
  .map(([status, answer]) =>
    table(`${status} · ${answer.description}`, rows(Object.values(answer.content ?? {})[0]?.schema)),
  )}
</section>`;
}

function neededScopes({ security = [] }: Operation): Html | null {
  const scopes = security.flatMap(({ key }) => key);
  if (scopes.length === 0) return null;
  return html`Required scope: ${scopes.map((scope, at) => html`${at > 0 && " or "}<code>${scope}</code>`)}.`;
}

function table(title: string, lines: Html[]): Html {
  if (lines.length === 0) return html`<h3>${title}</h3>`;
  return html`<h3>${title}</h3><div class="wide" tabindex="0" role="group" aria-label="${title}"><table>${lines}</table></div>`;
}

function rows(schema: Schema | undefined, prefix = ""): Html[] {
  const object = schema?.items ?? schema;
  return Object.entries(object?.properties ?? {}).flatMap(([name, field]) => {
    const nested = field.items?.properties || field.properties || field.anyOf?.find((one) => one.properties);
    const fieldRow = row(prefix + name, field, object?.required?.includes(name) ? "" : "optional");
    const inner = field.anyOf?.find((one) => one.properties) ?? field;
    return nested && !prefix.includes(".") ? [fieldRow, ...rows(inner, `${prefix}${name}.`)] : [fieldRow];
  });
}

function row(name: string, schema: Schema, note: string): Html {
  return html`<tr><th scope="row"><code>${name}</code></th><td>${typeOf(schema)}</td><td>${note === "query" ? "" : note}</td><td>${schema.description}</td></tr>`;
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  return schema.format ?? schema.type ?? "any";
}

const anchor = (method: string, path: string) => `${method}${path}`.toLowerCase().replace(/[^a-z]+/g, "-");

const STYLE = `
:root { color-scheme: light dark; --quiet: light-dark(#666, #999); --line: light-dark(#e4e2de, #333); --accent: light-dark(#8a3b12, #e7a27d); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: light-dark(#fdfcfa, #161616); color: light-dark(#222, #ddd); }
h1 { font-size: 1.7rem; margin: 0; } h2 { font-size: 1.15rem; margin: 3rem 0 0; } h3 { font-size: .9rem; margin: 1.4rem 0 .3rem; color: var(--quiet); font-weight: 600; }
b, a { color: var(--accent); } code, h2, nav a { font-family: ui-monospace, monospace; } code { font-size: .9em; } p code, h2, nav a { overflow-wrap: anywhere; } th { width: 15rem; white-space: nowrap; } td:nth-child(2) { width: 16rem; } td:nth-child(3) { width: 5rem; }
nav ul { list-style: none; padding: 0; columns: 22rem 2; font-size: .9rem; } nav li { margin: .2rem 0; color: var(--quiet); } nav a { text-decoration: none; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; font-weight: 400; padding: .35rem .9rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; } td:nth-child(3), td:nth-child(4) { color: var(--quiet); }
`;
