import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
// biome-ignore lint/suspicious/noExplicitAny: read as any program would read it
const fetchDescription = async ({ fetch }: TestPlaten): Promise<any> =>
  (await fetch("/api/v1/openapi.json")).json();

test("openapi.json is valid OpenAPI 3.1 without keywords of other versions", async () => {
  const document = await fetchDescription(startPlaten());
  expect(document.openapi).toBe("3.1.0");
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(JSON.stringify(document)).not.toMatch(/"nullable"|"patternProperties"|"const"/);
});

test("ids are integers, choices are enums, and parameters have their exact types", async () => {
  const { paths } = await fetchDescription(startPlaten());
  const { post } = paths["/posts/{id}"].get.responses["200"].content["application/json"].schema.properties;
  expect(post.properties.id).toEqual({ type: "integer" });
  expect(post.properties.status).toEqual({ type: "string", enum: ["published", "draft", "archived"] });
  expect(post.properties.type).toEqual({ type: "string", enum: ["post", "page"] });
  expect(post.properties.published_at.anyOf).toContainEqual({ type: "null" });
  const parameter = (name: string) =>
    paths["/posts"].get.parameters.find((one: { name: string }) => one.name === name).schema;
  expect(parameter("page")).toMatchObject({ type: "integer" });
  expect(parameter("include_content")).toMatchObject({ type: "boolean" });
  const fields =
    paths["/posts"].post.requestBody.content["application/json"].schema.properties.post.properties;
  expect(fields.alt_text.anyOf[0]).toEqual({ type: "object", additionalProperties: { type: "string" } });
});

test("each operation names the scopes that allow it, in openapi.json and on the docs page", async () => {
  const platen = startPlaten();
  const { paths } = await fetchDescription(platen);
  expect(paths["/info"].get.security).toEqual([{ key: [] }]);
  expect(paths["/posts/{id}"].patch.security).toEqual([{ key: ["update"] }, { key: ["draft"] }]);
  const page = await (await platen.fetch("/api/docs")).text();
  expect(page).toContain("Required scope: <code>media</code> or <code>create</code>.");
});

test("describes the headers for idempotency and unchanged or changed posts", async () => {
  const platen = startPlaten();
  await platen.api("POST", "/posts", { post: { title: "First" } });
  const { paths } = await fetchDescription(platen);
  const headers = (path: string, method: string) =>
    (paths[path][method].parameters as { name: string; in: string }[])
      .filter((parameter) => parameter.in === "header")
      .map(({ name }) => name);
  expect(headers("/posts", "post")).toEqual(["Idempotency-Key"]);
  expect(headers("/attachments", "post")).toEqual(["Idempotency-Key"]);
  for (const path of ["/posts/{id}", "/posts/{id}/publish"])
    expect(headers(path, "patch")).toEqual(["Idempotency-Key", "If-Match"]);
  const authorization = `Bearer ${platen.newKey({ scopes: ["read", "subscribers"] })}`;
  for (const [path, { get }] of Object.entries<{ get?: Operation }>(paths)) {
    if (!get) continue;
    const { headers: sent } = await platen.fetch(`/api/v1${path.replace("{id}", "1")}`, {
      headers: { authorization },
    });
    expect([path, "304" in get.responses]).toEqual([path, sent.has("etag")]);
    expect([path, headers(path, "get")]).toEqual([path, sent.has("etag") ? ["If-None-Match"] : []]);
  }
});

test("API responses match openapi.json exactly", async () => {
  const platen = startPlaten();
  const { paths } = await fetchDescription(platen);
  const ajv = new Ajv2020({
    allErrors: true,
    formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, binary: true },
  });
  const meets = (path: string, method: string, status: number, body: unknown) => {
    const { responses } = paths[path][method] as Operation;
    const answer = responses[status] ?? responses["4XX"];
    const check = ajv.compile(closed(answer?.content?.["application/json"]?.schema) as object);
    check(body);
    expect([path, method, status, check.errors]).toEqual([path, method, status, null]);
  };
  const ask = async (method: string, path: string, of = path, body?: unknown) => {
    const answer = await platen.api(method, path, body);
    meets(of.split("?")[0] as string, method.toLowerCase(), answer.status, answer.body);
    return answer.body;
  };
  const upload = await platen.fetch("/api/v1/attachments", {
    method: "POST",
    body: uploadForm(await picture(), "cat.jpg"),
    headers: { authorization: `Bearer ${platen.key}` },
  });
  const { attachment } = await upload.clone().json();
  meets("/attachments", "post", upload.status, await upload.json());
  const forged = '<action-text-attachment sgid="forged"></action-text-attachment>';
  const full = {
    title: "Full",
    content: attachment.html + forged,
    status: "published",
    category: "Cats",
    tags: ["a"],
    meta: { is_shared: true },
  };
  expect(await ask("POST", "/posts", "/posts", { post: full })).toHaveProperty("warnings");
  await ask("POST", "/posts", "/posts", { post: { title: "bare", status: "draft" } });
  await ask("PATCH", "/posts/2", "/posts/{id}", { post: { type: "page" } });
  await ask("PUT", "/posts/2", "/posts/{id}", { post: { status: "archived" } });
  await ask("GET", "/posts/1?include_source=true", "/posts/{id}");
  await ask("PATCH", "/posts/1/unpublish", "/posts/{id}/unpublish");
  await ask("PATCH", "/posts/1/publish", "/posts/{id}/publish");
  for (const query of ["", "?status=all", "?status=all&limit=1&include_content=true&include_source=true"])
    await ask("GET", `/posts${query}`);
  for (const path of ["/info", "/attachments", "/categories"]) await ask("GET", path);
  await ask("GET", "/blogs/1", "/blogs/{id}");
  await ask("GET", "/posts?page=0");
  await ask("GET", "/posts/99", "/posts/{id}");
  await ask("POST", "/posts", "/posts", { post: { title: 7 } });
});

/** The schema without additional properties. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema && "type" in schema && schema.type === "object" && "properties" in schema
    ? { ...inner, additionalProperties: false }
    : inner;
}
