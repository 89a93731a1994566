import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder, PROGRAM, runPlaten, runToEnd, setUpBlog, startServer } from "../support/program";

const IS_ROOT = process.getuid?.() === 0;
/** Root may open everything, so run as another user. */
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

test("an unreadable folder is not reported as one without Platen", async () => {
  const { data } = await setUpBlog();
  chmodSync(dirname(data), 0o711);
  chmodSync(data, IS_ROOT ? 0o700 : 0o000);
  const message = /^This user may not use \S+; run: sudo platen … --data \S+\n$/;
  const run = async (command: string) => {
    const typed = [...PROGRAM, ...command.split(" "), "--data", data];
    return await runToEnd(IS_ROOT ? [...AS_NOBODY, ...typed] : typed);
  };
  for (const command of ["blog list", "check"])
    expect(await run(command)).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
  for (const command of ["serve --port 0", "setup --email ada@example.com --title Ada"]) {
    const { stderr, ...ended } = await run(command);
    expect(ended).toEqual({ code: 2, stdout: "" });
    const [setting, rest] = stderr.split(/(?<=\. )/);
    expect([setting, rest]).toEqual([
      "PLATEN_DATA (--data) cannot be used. ",
      expect.stringMatching(message),
    ]);
  }
  chmodSync(data, 0o700);
});

test("reports an unusable file below the folder in one line", async () => {
  const { data } = await setUpBlog();
  rmSync(join(data, "media"), { recursive: true, force: true });
  writeFileSync(join(data, "media"), "");
  const { code, stdout, stderr } = await runPlaten(["serve", "--data", data, "--port", "0"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(
    `${data}/media/.incoming cannot be used: a part of its path is a file, not a folder.\n`,
  );
});

test.skipIf(!IS_ROOT)(
  "a server started as root runs as the folder's owner and creates files for that user",
  async () => {
    const { data } = await setUpBlog();
    for (const name of ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })])
      chownSync(join(data, name), 65534, 65534);
    chmodSync(dirname(data), 0o711);
    await using server = await startServer({ data });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.stop();
    const owners = readdirSync(data, { recursive: true, encoding: "utf8" }).map(
      (name) => statSync(join(data, name)).uid,
    );
    expect(new Set(owners)).toEqual(new Set([65534]));
  },
);

test.skipIf(!IS_ROOT)("a database created as root belongs to the folder's owner", async () => {
  const data = freshFolder();
  mkdirSync(data);
  chownSync(data, 65534, 65534);
  chmodSync(dirname(data), 0o711);
  await using server = await startServer({ data });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(statSync(join(data, "platen.db")).uid).toBe(65534);
});
