import { expect, test } from "bun:test";
import { sentObjects } from "../../src/database/schema";
import { startFederating } from "../support/federating";
import { forgedServer } from "../support/forged-server";

const MINUTE = 60_000;

test("due updates of a blog that turned the fediverse off do not hold back those of other blogs", async () => {
  const at = await startFederating();
  const { platen } = at;
  const server = await forgedServer();
  const received: string[] = [];
  server.guard = async (request) => {
    if (request.method !== "POST") return null;
    received.push((await request.json()).type);
    return new Response(null, { status: 202 });
  };
  await server.post(at, { activity: { type: "Follow", object: at.actor.id.href } });
  const { body } = await at.api("POST", "/posts", {
    post: { title: "Tea", content: "Tea.", status: "published" },
  });
  await at.deliver();
  for (const content of ["Green tea.", "Black tea."]) {
    await at.api("PATCH", `/posts/${body.post.id}`, { post: { content } });
    await at.deliver();
  }

  const { id: blogId } = at.newBlog({ title: "Off" });
  const due = { blogId, kind: "post", state: "live", digest: "", updatesFrom: new Date(0) } as const;
  const rows = Array.from({ length: 50 }, (_, subjectId) => ({ ...due, subjectId }));
  platen.db.insert(sentObjects).values(rows).run();
  expect(received.filter((type) => type === "Update")).toHaveLength(1);
  await at.passAndDeliver(MINUTE);
  expect(received.filter((type) => type === "Update")).toHaveLength(2);
});
