import { expect, test } from "bun:test";
import { setSockets } from "../../src/http/requests/call";
import { post } from "../komments/forms";
import { startPlaten } from "../support/platen";

test("one client can search 60 times a minute, while others search too", async () => {
  const at = startPlaten();
  await post(at);
  let address = "203.0.113.7";
  setSockets(at.platen, { requestIP: () => ({ address }) });
  const search = async (words: string) => (await at.fetch(`/search?q=${words}`)).status;
  for (let number = 0; number < 60; number++) expect(await search(`tea${number}`)).toBe(200);
  expect(await search("more")).toBe(429);
  expect((await at.fetch("/search")).status).toBe(200);
  for (address of ["198.51.100.7", "127.0.0.1"]) expect(await search("more")).toBe(200);
});
