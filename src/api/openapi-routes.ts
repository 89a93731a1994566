import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import { type AnyElysia, Elysia, type TSchema, t } from "elysia";
import { SCOPES_FOR, scopeRuleOfRoute } from "../access/scopes";
import { calls } from "../http/requests/call";
import {
  jsonResponse,
  revalidatedByClient,
  sendResponse,
  type TextResponse,
} from "../http/responses/response";
import type { Platen } from "../platen";
import { version } from "../version";
import { documentPage, type OpenApi, type Operation } from "./docs-page";
import { paginationShape } from "./list-query";

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
