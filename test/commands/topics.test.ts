import { expect, test } from "bun:test";
import { callPlaten } from "../support/command";
import { freshFolder, startServer } from "../support/program";

test("commands rename, merge and delete categories and tags, and a running server shows it at once", async () => {
  const data = freshFolder();
  const setup = ["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada", "--slug", "ada"];
  const key = (await callPlaten(setup)).stdout.trim();
  await using server = await startServer({ data });
  const api = async (path: string, init: RequestInit = {}) =>
    (
      await fetch(`${server.url}/api/v1${path}`, { ...init, headers: { authorization: `Bearer ${key}` } })
    ).json();
  for (const [title, category] of [
    ["Tea", "Kitchen"],
    ["Roses", "Garden"],
  ])
    await api("/posts", {
      method: "POST",
      body: JSON.stringify({ post: { title, category, tags: ["red"], status: "published" } }),
    });
  const topic = (...args: string[]) => callPlaten(["topic", ...args, "--blog", "ada", "--data", data]);
  const names = async () => (await api("/categories")).categories.map(({ name }: { name: string }) => name);
  expect(await topic("rename", "kitchen", "--to", "Food")).toEqual({
    code: 0,
    stdout: "Renamed. The category is now at /category/food.\n",
    stderr: "",
  });
  expect(await names()).toEqual(["Food", "Garden"]);
  expect((await topic("rename", "Food", "--to", "garden")).stderr).toContain(
    "already used by another category",
  );
  expect((await topic("merge", "Food", "--into", "Garden")).code).toBe(0);
  expect(await names()).toEqual(["Garden"]);
  expect((await fetch(`${server.url}/category/kitchen`)).url).toBe(`${server.url}/category/garden`);
  expect((await topic("delete", "Red", "--tag")).stdout).toBe("Deleted red.\n");
  expect((await api("/posts/1")).post.tags).toEqual([]);
  expect(await topic("delete", "Nothing")).toEqual({
    code: 1,
    stdout: "",
    stderr: "There is no category called Nothing in the blog ada.\n",
  });
});
