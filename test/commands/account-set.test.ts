import { expect, test } from "bun:test";
import { freshFolder, runPlaten } from "../support/program";

test("an account's name and e-mail address can be set right", async () => {
  const env = { PLATEN_DATA: freshFolder() };
  await runPlaten(["setup", "--email", "ada@exmaple.com", "--title", "Ada"], { env });
  await runPlaten(["account", "add", "--email", "bob@example.com"], { env });
  const set = (...args: string[]) => runPlaten(["account", "set", ...args], { env });

  const done = await set("ada@exmaple.com", "--email", "ada@example.com", "--name", "Ada L.");
  expect(done).toEqual({ code: 0, stdout: "The account is Ada L., ada@example.com.\n", stderr: "" });
  expect((await set("ada@example.com", "--email", "Ada@example.com")).code).toBe(0);
  expect(await set("ada@example.com", "--email", "bob@example.com")).toEqual({
    code: 1,
    stdout: "",
    stderr: "Email belongs to an account already.\n",
  });
  expect(await set("ada@example.com")).toMatchObject({ code: 2, stdout: "" });
});
