import { expect, test } from "bun:test";
import type { Blog } from "../../src/blogs/blogs";
import { listKomments } from "../../src/komments/komment-list";
import { deleteRemoteKomment, storeRemoteKomment } from "../../src/komments/remote-komments";
import type { Post } from "../../src/posts/post/post";
import { livePost } from "../../src/posts/reading/finding-posts";
import { startPlaten } from "../support/platen";
import { recordStatements } from "../support/recorded-statements";
import { post } from "./forms";

test("deleting komments of other servers does not read their texts", async () => {
  const statements = recordStatements();
  const at = startPlaten();
  const { id } = await post(at);
  const originUri = "https://a.example/1";
  const person = { name: "Eve", handle: "", url: "", originUrl: "", html: "", origin: "fediverse" as const };
  const rendered = { source: "Tea", html: "Tea" };
  storeRemoteKomment(at.platen, livePost(at.platen, id) as Post, { ...person, originUri }, rendered);
  expect(listKomments(at.platen)).toHaveLength(1);
  statements.length = 0;
  expect(deleteRemoteKomment(at.platen, (at.blog as Blog).id, originUri)).toBe(true);
  expect(listKomments(at.platen)).toEqual([]);
  const deletions = statements.filter((sql) => /^delete from "komments"/i.test(sql));
  expect(deletions).toEqual([expect.not.stringMatching(/"(?:html|source)"/)]);
});
