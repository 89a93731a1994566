import { test } from "bun:test";
import { runPlaten, startServer } from "../support/program";
import { receiver } from "../support/receiver";

const EVENTS = 100;
const REQUESTS_A_SECOND = 50;

test("webhooks are sent while the server never rests: with 50 requests a second", async () => {
  await using server = await startServer({ env: { PLATEN_PRIVATE_HOSTS: "127.0.0.1" } });
  const platen = async (...args: string[]) =>
    (await runPlaten([...args, "--data", server.data])).stdout.trim();
  const key = await platen("setup", "--email", "ada@example.com", "--title", "Ada", "--slug", "ada");
  const { url, untilRequested } = receiver();
  await platen("webhook", "add", "--blog", "ada", url);
  const reading = setInterval(() => void fetch(server.url).catch(() => {}), 1000 / REQUESTS_A_SECOND);
  try {
    for (let number = 0; number < EVENTS; number++)
      await fetch(`${server.url}/api/v1/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ post: { title: `Post ${number}`, status: "published" } }),
      });
    await untilRequested(EVENTS);
  } finally {
    clearInterval(reading);
  }
});
