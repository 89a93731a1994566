import { expect, test } from "bun:test";
import { consent, exchange } from "../indieauth/app";
import { EMAIL, PASSWORD, type SignIn } from "../owner/signing-in";
import { callPlaten } from "../support/command";
import { browserAt } from "../support/cookie-browser";
import { freshFolder, PROGRAM, startServer } from "../support/program";

test("account password sets a password while the server runs, and rejects a weak one or an unknown account", async () => {
  await using server = await startServer();
  const platen = (stdin: string, ...args: string[]) =>
    callPlaten([...args, "--data", server.data], { stdin });
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
    stdout: "Changed the password of ada@example.com.\n",
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

test("account password --revoke-apps revokes the keys of apps only; without it they stay valid", async () => {
  await using server = await startServer();
  const platen = (stdin: string, ...args: string[]) =>
    callPlaten([...args, "--data", server.data], { stdin });
  const set = (...more: string[]) =>
    platen(`${PASSWORD}\n`, "account", "password", "--email", EMAIL, "--password-stdin", ...more);
  const isKeyValid = async (key: string) =>
    (await fetch(`${server.url}/api/v1/info`, { headers: { authorization: `Bearer ${key}` } })).ok;
  const own = (await platen("", "setup", "--email", EMAIL, "--title", "Ada")).stdout.trim();
  await set();
  const app = await keyOfApp(server.url);

  expect(await set()).toMatchObject({ stdout: `Changed the password of ${EMAIL}.\n` });
  expect([await isKeyValid(app), await isKeyValid(own)]).toEqual([true, true]);
  expect(await set("--revoke-apps")).toMatchObject({
    stdout: `Changed the password of ${EMAIL}. App keys revoked: 1.\n`,
  });
  expect([await isKeyValid(app), await isKeyValid(own)]).toEqual([false, true]);
});

test("account password prompts twice on a terminal without echo", async () => {
  const data = freshFolder();
  await callPlaten(["setup", "--email", EMAIL, "--title", "Ada", "--data", data]);
  const typeInto = async (...lines: string[]) => {
    let shown = "";
    let promptCount = 0;
    const child = Bun.spawn([...PROGRAM, "account", "password", "--email", EMAIL, "--data", data], {
      terminal: {
        data(terminal, bytes) {
          shown += Buffer.from(bytes).toString();
          const prompts = shown.split(/: $|: (?=\r)/).length - 1;
          while (promptCount < prompts) terminal.write(`${lines[promptCount++]}`);
        },
      },
    });
    const code = await child.exited;
    return { code, shown: Bun.stripANSI(shown).replaceAll("\r", "") };
  };
  expect(await typeInto("a long enough one\r", "a long enough one\r")).toEqual({
    code: 0,
    shown: `Password: \nPassword again: \nChanged the password of ${EMAIL}.\n`,
  });
  expect(await typeInto("a long enough one\r", "another long one\r")).toEqual({
    code: 1,
    shown: "Password: \nPassword again: \nPassword does not match the first one.\n",
  });
  expect(await typeInto("a long enough one\x03")).toEqual({ code: 130, shown: "Password: \n" });
  // Without a terminal there is no prompt.
  expect(await callPlaten(["account", "password", "--email", EMAIL, "--data", data])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--password-stdin is missing"),
  });
});

/** Key of an app on this machine, whose description is not requested. */
async function keyOfApp(server: string): Promise<string> {
  const send = (path: string, init?: RequestInit) => fetch(server + path, { ...init, redirect: "manual" });
  const app = { client_id: "http://127.0.0.1:4747/", redirect_uri: "http://127.0.0.1:4747/back" };
  const appPost: SignIn["appPost"] = async (path, fields) => {
    const answer = await send(path, {
      method: "POST",
      body: new URLSearchParams(fields as Record<string, string>),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  const at = { browser: browserAt(server, send), appPost } as SignIn;
  return (await exchange(at, await consent(at, app), app)).body.access_token;
}
