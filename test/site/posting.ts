import { expect } from "bun:test";
import type { TestPlaten } from "../support/platen";

export interface Posted {
  id: number;
  slug: string;
  url: string;
  meta: { share_id: string | null };
}

/** Creates a published post, unless the fields say otherwise. */
export async function post(
  at: TestPlaten,
  fields: Record<string, unknown>,
  blogId?: number,
): Promise<Posted> {
  const answer = await at.api("POST", "/posts", {
    blog_id: blogId,
    post: { status: "published", ...fields },
  });
  expect(answer.status).toBe(201);
  return answer.body.post;
}

export const page = async (at: TestPlaten, path: string, init?: RequestInit) =>
  (await at.fetch(path, init)).text();
