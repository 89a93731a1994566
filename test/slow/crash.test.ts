import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { picture, uploadForm } from "../support/pictures";
import { runPlaten, setUpBlog, startServer } from "../support/program";

const ROUNDS = 3;
const WRITERS = 4;
/** Acknowledged writes of a round before the server is killed. */
const KILLED_AFTER = [5, 23, 60];

interface Acknowledged {
  posts: { id: number; content: string }[];
  uploads: { path: string; bytes: Uint8Array<ArrayBuffer> }[];
}

test("no acknowledged change is lost, and no partial file left, when the server is killed during writes", async () => {
  const { data, key } = await setUpBlog();
  const headers = { authorization: `Bearer ${key}` };
  const done: Acknowledged = { posts: [], uploads: [] };

  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServer({ data });
    const before = done.posts.length + done.uploads.length;
    const isTimeToDie = () =>
      done.posts.length + done.uploads.length - before >= (KILLED_AFTER[round] as number);
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(server.url, headers, done, writer, isTimeToDie),
    );
    await Promise.race(writers);
    await server.kill();
    await Promise.all(writers);
  }

  const checked = await runPlaten(["check", "--data", data]);
  expect({ code: checked.code, stdout: checked.stdout }).toMatchObject({ code: 0 });
  await using server = await startServer({ data });
  expect(readdirSync(join(data, "media", ".incoming"))).toEqual([]);
  for (const { id, content } of done.posts) {
    const { post } = await (await fetch(`${server.url}/api/v1/posts/${id}`, { headers })).json();
    expect(post.content.text).toBe(content);
  }
  for (const { path, bytes } of done.uploads)
    expect(await (await fetch(server.url + path)).bytes()).toEqual(bytes);
  expect(done.uploads.length).toBeGreaterThan(0);
});

/** Creates, changes and uploads until the server dies, and records acknowledged changes. */
async function write(
  url: string,
  headers: Record<string, string>,
  done: Acknowledged,
  writer: number,
  isTimeToDie: () => boolean,
): Promise<void> {
  const send = async (method: string, path: string, body: FormData | string) => {
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  try {
    for (let count = 0; !isTimeToDie(); count++) {
      const bytes = await picture(40 + writer, 30 + (count % 20), "png");
      const { attachment } = await send("POST", "/attachments", uploadForm(bytes, `${writer}.png`));
      done.uploads.push({ path: new URL(attachment.url).pathname, bytes });
      const content = `Writer ${writer}, post ${count}`;
      const { post } = await send("POST", "/posts", JSON.stringify({ post: { title: "Written", content } }));
      const written = { id: post.id, content };
      done.posts.push(written);
      const changed = `${content}, changed`;
      // Either text may be there until the change is acknowledged, so it is not checked.
      done.posts.splice(done.posts.indexOf(written), 1);
      await send("PATCH", `/posts/${post.id}`, JSON.stringify({ post: { content: changed } }));
      done.posts.push({ id: post.id, content: changed });
    }
  } catch (fault) {
    if (!isTimeToDie()) throw fault;
  }
}
