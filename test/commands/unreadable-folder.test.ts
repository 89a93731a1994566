import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder, runPlaten, runToEnd } from "../support/program";

const PROGRAM = join(import.meta.dir, "../../src/main.ts");
const IS_ROOT = process.getuid?.() === 0;
/** Root may open everything, so it steps down. */
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

test("a folder that this user may not open is not told as one without a Platen", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--data", data, "--email", "ada@example.com", "--title", "Ada"]);
  chmodSync(dirname(data), 0o711);
  chmodSync(data, IS_ROOT ? 0o700 : 0o000);
  for (const command of ["blog list", "check"]) {
    const typed = [process.execPath, PROGRAM, ...command.split(" "), "--data", data];
    const { code, stdout, stderr } = await runToEnd(IS_ROOT ? [...AS_NOBODY, ...typed] : typed);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^(This user|Only \S+) may( not)? use \S+; type: sudo( -u \S+)? platen … --data \S+\n$/,
    );
  }
  chmodSync(data, 0o700);
});
