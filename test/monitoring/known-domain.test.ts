import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

test("Caddy may request certificates for the base URL and the blogs' domains only", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Garden", slug: "garden", domain: "garden.example" });
  const statusFor = async (domain: string) =>
    (await at.fetch(`/.well-known/platen-domain?domain=${encodeURIComponent(domain)}`)).status;
  expect(await statusFor("blog.test")).toBe(200);
  expect(await statusFor("garden.example")).toBe(200);
  expect(await statusFor("Garden.Example")).toBe(200);
  for (const stranger of [
    "",
    "example.com",
    "www.garden.example",
    "garden.example.evil.example",
    "x".repeat(5000),
  ])
    expect([stranger, await statusFor(stranger)]).toEqual([stranger, 404]);
  const nothing = await at.fetch("/.well-known/platen-domain");
  expect([nothing.status, nothing.headers.get("cache-control")]).toEqual([404, "no-store"]);
});
