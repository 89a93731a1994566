import { expect, test } from "bun:test";
import { runPlaten, startServer } from "../support/program";

test("account password sets one, beside a running server, and refuses a poor one and an unknown account", async () => {
  await using server = await startServer();
  const platen = (stdin: string, ...args: string[]) => runPlaten([...args, "--data", server.data], { stdin });
  const set = (email: string, password: string) =>
    platen(password, "account", "password", "--email", email, "--password-stdin");
  const enter = async (password: string) => {
    const body = new URLSearchParams({ email: "ada@example.com", password });
    const headers = { origin: server.url };
    const to = `${server.url}/auth/sign-in`;
    return (await fetch(to, { method: "POST", body, headers, redirect: "manual" })).status;
  };
  await platen("", "setup", "--email", "ada@example.com", "--title", "Ada");
  expect(await enter("")).toBe(422);

  expect(await set("ADA@example.com", "a long enough one\n")).toEqual({
    code: 0,
    stdout: "The password of ada@example.com is set.\n",
    stderr: "",
  });
  expect(await enter("a long enough one")).toBe(303);
  expect(await set("ada@example.com", "short")).toMatchObject({ code: 1, stdout: "" });
  expect(await set("bob@example.com", "a long enough one")).toMatchObject({
    code: 1,
    stderr: "There is no account with the e-mail address bob@example.com.\n",
  });
  expect(await set("ada@example.com", "another long one\n")).toMatchObject({ code: 0 });
  expect([await enter("a long enough one"), await enter("another long one")]).toEqual([422, 303]);
});
