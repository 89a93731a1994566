import { expect, test } from "bun:test";
import { runPlaten, startServer } from "../support/program";
import { receiver } from "../support/receiver";

const EVENTS = 100;
const REQUESTS_A_SECOND = 50;

test("with 50 requests a second, each event is first sent within two seconds", async () => {
  await using server = await startServer({ env: { PLATEN_PRIVATE_HOSTS: "127.0.0.1" } });
  const platen = async (...args: string[]) =>
    (await runPlaten([...args, "--data", server.data])).stdout.trim();
  const key = await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  const heardAt = new Map<string, number>();
  const { url, untilRequested } = receiver(({ payload }) => {
    heardAt.set(payload.post.title, performance.now());
    return new Response();
  });
  await platen("webhook", "add", "--blog", "ada", url);
  const reading = setInterval(() => void fetch(server.url).catch(() => {}), 1000 / REQUESTS_A_SECOND);
  const writtenAt = new Map<string, number>();
  try {
    for (let number = 0; number < EVENTS; number++) {
      const title = `Post ${number}`;
      const response = await fetch(`${server.url}/api/v1/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ post: { title, status: "published" } }),
      });
      expect(response.status).toBe(201);
      writtenAt.set(title, performance.now());
    }
    await untilRequested(EVENTS);
  } finally {
    clearInterval(reading);
  }
  const waits = [...writtenAt].map(([title, at]) => (heardAt.get(title) as number) - at);
  expect(Math.max(...waits)).toBeLessThan(2000);
});
