import { beforeAll, describe, expect, test } from "bun:test";
import { callPlaten } from "../support/command";
import { freshFolder } from "../support/program";

const env = { PLATEN_DATA: freshFolder() };
const platen = (...args: string[]) => callPlaten(args, { env });
const listed = async (noun: string) => JSON.parse((await platen(noun, "list", "--json")).stdout);

beforeAll(async () => {
  await platen("setup", "--email", "ada@example.com", "--title", "Ada Writes");
  await platen("account", "add", "--email", "bob@example.com");
  await platen(
    "blog",
    "add",
    "--account",
    "bob@example.com",
    "--title",
    "Bob",
    "--domain",
    "bob.example.com",
  );
});

describe("account", () => {
  test("add prints only the id; list prints accounts for people and as JSON", async () => {
    expect(
      await platen("account", "add", "--email", "Cyd@Example.com", "--name", "Cyd Ü", "--admin"),
    ).toEqual({
      code: 0,
      stdout: "3\n",
      stderr: "",
    });
    expect(await listed("account")).toEqual([
      {
        id: 1,
        email: "ada@example.com",
        name: "ada",
        is_admin: true,
        disabled_at: null,
        created_at: expect.stringMatching(/Z$/),
      },
      {
        id: 2,
        email: "bob@example.com",
        name: "bob",
        is_admin: false,
        disabled_at: null,
        created_at: expect.stringMatching(/Z$/),
      },
      {
        id: 3,
        email: "Cyd@Example.com",
        name: "Cyd Ü",
        is_admin: true,
        disabled_at: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const lines = (await platen("account", "list")).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map((line) => line.search(/is admin|yes|no /))).size).toBe(1);
  });

  test("a used or invalid e-mail address is rejected", async () => {
    expect(await platen("account", "add", "--email", "BOB@example.com")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Email belongs to an account already.\n",
    });
    expect((await platen("account", "add", "--email", "nobody")).code).toBe(1);
  });
});

describe("blog", () => {
  test("add prints only the id; a used slug and an unknown account are rejected", async () => {
    const add = (...more: string[]) =>
      platen("blog", "add", "--account", "ADA@example.com", "--title", "Photos", ...more);
    expect(await add("--slug", "photos")).toEqual({ code: 0, stdout: "3\n", stderr: "" });
    expect(await add("--slug", "photos")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Slug is already used by another blog.\n",
    });
    expect(await platen("blog", "add", "--account", "eve@example.com", "--title", "Eve")).toEqual({
      code: 1,
      stdout: "",
      stderr: "There is no account with the e-mail address eve@example.com.\n",
    });
    expect(await listed("blog")).toMatchObject([
      { id: 1, slug: "ada-writes", account: "ada@example.com", domain: null, url: "http://127.0.0.1:4000/" },
      { id: 2, slug: "bob", account: "bob@example.com", domain: "bob.example.com" },
      { id: 3, slug: "photos", title: "Photos", url: "http://127.0.0.1:4000/@photos/" },
    ]);
  });
});

describe("key", () => {
  test("add prints only the key, with the requested scopes, blogs and lifetime; list shows no hash", async () => {
    const added = await platen(
      ...["key", "add", "--account", "ada@example.com", "--name", "phone", "--scope", "read, draft"],
      ...["--blog", "ada-writes", "--expires", "30d"],
    );
    expect(added).toMatchObject({ code: 0, stderr: "" });
    expect(added.stdout).toMatch(/^platen_[\w-]{32,}\n$/);
    const keys = await listed("key");
    expect(keys[0]).toMatchObject({
      id: 1,
      scopes: ["read", "create", "update", "delete", "media"],
      blogs: [],
      expires_at: null,
    });
    const phone = keys.find((key: { name: string }) => key.name === "phone");
    expect(phone).toMatchObject({
      account: "ada@example.com",
      scopes: ["read", "draft"],
      blogs: ["ada-writes"],
      revoked_at: null,
    });
    expect(Date.parse(phone.expires_at) - Date.parse(phone.created_at)).toBe(30 * 86_400_000);
    expect(JSON.stringify(keys)).not.toMatch(/hash|[0-9a-f]{64}/);
  });

  test("another account's blog, an unknown blog and an unknown scope are rejected", async () => {
    const before = (await listed("key")).length;
    const add = (...more: string[]) => platen("key", "add", "--account", "ada@example.com", ...more);
    expect(await add("--blog", "ada-writes", "--blog", "bob")).toEqual({
      code: 1,
      stdout: "",
      stderr: "The blog bob does not belong to ada@example.com.\n",
    });
    expect((await add("--blog", "nowhere")).stderr).toBe("There is no blog with the slug nowhere.\n");
    expect(await add("--scope", "read,fly")).toMatchObject({ code: 2, stdout: "" });
    expect((await listed("key")).length).toBe(before);
  });

  test("revoke revokes a key once", async () => {
    await platen("key", "add", "--account", "bob@example.com", "--name", "lost");
    const { id } = (await listed("key")).find((key: { name: string }) => key.name === "lost");
    expect((await platen("key", "revoke", String(id))).code).toBe(0);
    expect((await listed("key")).find((key: { id: number }) => key.id === id).revoked_at).toMatch(/Z$/);
    expect(await platen("key", "revoke", String(id))).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no active key ${id}.\n`,
    });
  });
});
