import { expect } from "bun:test";
import { SECOND, type TestPlaten } from "../support/platen";

export const WORDS = { name: "Grace", address: "", text: "Well said." };

/** A post of the home blog; live unless the fields say otherwise. */
export async function post(at: TestPlaten, fields: Record<string, unknown> = {}, blogId?: number) {
  const fieldsOfPost = { title: "Tea", content: "<p>About tea.</p>", status: "published", ...fields };
  const answer = await at.api("POST", "/posts", { blog_id: blogId, post: fieldsOfPost });
  expect(answer.status).toBe(201);
  return answer.body.post as { id: number; slug: string };
}

export const page = async (at: TestPlaten, path: string) => (await at.fetch(path)).text();

export const submit = (
  at: TestPlaten,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) => at.fetch(path, { method: "POST", body: new URLSearchParams(fields), headers });

export function ticketIn(page: string): string {
  return /name="ticket" value="([^"]+)"/.exec(page)?.[1] as string;
}

/** Opens the form, waits and sends it, like a reader. */
export async function write(
  at: TestPlaten,
  fields: Record<string, string> = {},
  path = "/komments/tea",
  headers: Record<string, string> = {},
): Promise<Response> {
  const ticket = ticketIn(await page(at, path));
  at.pass(5 * SECOND);
  return await submit(at, path, { ...WORDS, ...fields, ticket }, headers);
}

/** Writes a komment, and opens the page that shows its private link once. */
export async function writeForLink(
  at: TestPlaten,
  fields: Record<string, string> = {},
  path = "/komments/tea",
) {
  const answer = await write(at, fields, path);
  expect(answer.status).toBe(303);
  const thanks = await page(
    at,
    new URL(answer.headers.get("location") as string, new URL(path, "http://blog.test")).href,
  );
  return { link: /class="private-link"><a href="([^"]+)"/.exec(thanks)?.[1] as string, thanks };
}
