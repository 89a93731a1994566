import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { PROGRAM, runPlaten, startServer } from "../../support/program";
import { temporaryFolder } from "../../support/temporary";

test("demo serves an example blog, signs in by the printed link, and saves nothing", async () => {
  const folder = temporaryFolder("demo");
  const line = `exec ${PROGRAM.join(" ")} demo --look sans --port 0`;
  const server = await startServer({ shell: { line, cwd: folder }, env: { TMPDIR: folder } });
  const home = await (await fetch(server.url)).text();
  expect(home).toContain("What the tide tables leave out");
  expect(home).toContain('href="/assets/sans.');
  const post = await (await fetch(`${server.url}/north-shore`)).text();
  expect(post.match(/<figure class="attachment/g)).toHaveLength(6);
  expect((await fetch(`${server.url}/draft`)).status).toBe(404);

  const [link = ""] = /http\S+token=\S+/.exec(server.stdout()) ?? [];
  const signIn = await fetch(link, { redirect: "manual" });
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const admin = await fetch(`${server.url}/admin`, { headers: { cookie } });
  expect(await admin.text()).toContain("Slow Water");
  expect((await fetch(link.slice(0, -1))).status).toBe(404);

  expect(await server.stop()).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test("demo refuses a look that does not exist, and names those that do", async () => {
  const { code, stderr } = await runPlaten(["demo", "--look", "baroque"]);
  expect(code).not.toBe(0);
  expect(stderr).toContain('--look is "baroque"; it must be one of serif, sans, photo');
});
