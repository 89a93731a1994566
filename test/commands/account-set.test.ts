import { expect, test } from "bun:test";
import { callPlaten } from "../support/command";
import { freshFolder } from "../support/program";

test("account set changes name and e-mail address", async () => {
  const env = { PLATEN_DATA: freshFolder() };
  await callPlaten(["setup", "--email", "ada@exmaple.com", "--title", "Ada"], { env });
  await callPlaten(["account", "add", "--email", "bob@example.com"], { env });
  const set = (...args: string[]) => callPlaten(["account", "set", ...args], { env });

  const done = await set("ada@exmaple.com", "--email", "ada@example.com", "--name", "Ada L.");
  expect(done).toEqual({ code: 0, stdout: "Saved the account: Ada L., ada@example.com.\n", stderr: "" });
  expect((await set("ada@example.com", "--email", "Ada@example.com")).code).toBe(0);
  expect(await set("ada@example.com", "--email", "bob@example.com")).toEqual({
    code: 1,
    stdout: "",
    stderr: "Email belongs to an account already.\n",
  });
  expect(await set("ada@example.com")).toMatchObject({ code: 2, stdout: "" });
});

test("commands invite people, change roles, and disable and enable accounts; the last admin stays", async () => {
  const env = { PLATEN_DATA: freshFolder(), PLATEN_URL: "https://blog.example" };
  const platen = (...args: string[]) => callPlaten(args, { env });
  await platen("setup", "--email", "ada@example.com", "--title", "Ada");
  const invited = await platen("account", "invite", "--for", "Bob");
  expect(invited).toMatchObject({ code: 0, stderr: "" });
  expect(invited.stdout).toMatch(/^https:\/\/blog\.example\/auth\/join\/[\w-]{43}\n$/);
  await platen("account", "add", "--email", "bob@example.com");
  expect((await platen("account", "two-factor", "--email", "bob@example.com")).stdout).toBe(
    "Two-factor authentication is off for bob@example.com.\n",
  );
  const list = async () =>
    JSON.parse((await platen("account", "list", "--json")).stdout).map(
      (row: { is_admin: boolean; disabled_at: string | null }) => [row.is_admin, row.disabled_at !== null],
    );
  expect(await platen("account", "set", "ada@example.com", "--role", "author")).toMatchObject({
    code: 1,
    stderr: "This is the last admin and cannot be an author. Make another account an admin first.\n",
  });
  expect((await platen("account", "set", "bob@example.com", "--role", "owner")).code).toBe(2);
  await platen("account", "set", "bob@example.com", "--role", "admin");
  await platen("account", "disable", "--email", "ada@example.com");
  expect(await list()).toEqual([
    [true, true],
    [true, false],
  ]);
  expect((await platen("account", "disable", "--email", "bob@example.com")).code).toBe(1);
  await platen("account", "enable", "--email", "ada@example.com");
  await platen("account", "set", "bob@example.com", "--role", "author");
  expect(await list()).toEqual([
    [true, false],
    [false, false],
  ]);
});
