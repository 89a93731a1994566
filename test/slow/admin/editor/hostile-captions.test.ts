import { expect, test } from "bun:test";
import { pressButton } from "../../../admin/editor/post-form";
import { startOwned } from "../../../admin/owner";
import { picture, uploadForm } from "../../../support/pictures";

/** htmlparser2 searches its stack of open elements for each end tag: minutes for this text. */
const UNCLOSED = "<b>".repeat(150_000) + "</x>".repeat(120_000);

test("a caption of a post with very many unclosed elements is read in linear time", async () => {
  const { api, fetch, key, browser } = await startOwned();
  const body = uploadForm(await picture(), "cat.jpg");
  await fetch("/api/v1/attachments", { method: "POST", headers: { authorization: `Bearer ${key}` }, body });
  const { html } = (await api("GET", "/attachments")).body.attachments[0];
  const { id } = (await api("POST", "/posts", { post: { title: "A", content: html } })).body.post;
  const began = performance.now();
  const changes = { caption: "Tom", content: html + UNCLOSED };
  const answer = await pressButton(browser, `/admin/blogs/ada/posts/${id}`, "save", changes);
  expect(answer.status).toBe(422);
  expect(performance.now() - began).toBeLessThan(10_000);
}, 120_000);
