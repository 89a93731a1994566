import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { mailServer, PASSWORD, USER } from "../support/mail-server";
import { hasPostfix, startPostfix } from "../support/postfix";
import { freshFolder, runPlaten, setUpBlog, startServer } from "../support/program";

const READERS = 60;
const TIMEOUT_MS = 240_000;

test(
  "of 60 mails with a SIGKILL in between, none is sent twice and at most one is uncertain",
  async () => {
    const { relay, received } = await mailServer();
    await sendThroughCrash({ PLATEN_SMTP_URL: `smtp://127.0.0.1:${relay.port}` }, received);
  },
  TIMEOUT_MS,
);

if (!hasPostfix) console.error("Postfix is not installed, or this is not root: its tests are skipped.");

test.if(hasPostfix)(
  "mails through Postfix with STARTTLS and a login survive a SIGKILL; an unknown certificate is rejected",
  async () => {
    const { relay, received } = await mailServer();
    const { port, caFile } = await startPostfix(relay.port);
    const login = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`;
    const url = { PLATEN_SMTP_URL: `smtp://${login}@127.0.0.1:${port}`, PLATEN_MAIL_FROM: USER };
    const { data } = await setUpBlog();
    const sendTest = (env: Record<string, string>) =>
      runPlaten(["mail", "test", "you@example.org", "--data", data], { env });
    expect((await sendTest(url)).stderr).toContain("the relay’s certificate is not valid");
    const trusted = { ...url, PLATEN_SMTP_CA_FILE: caFile };
    const wrong = { ...trusted, PLATEN_SMTP_URL: url.PLATEN_SMTP_URL.replace(login, `${login}x`) };
    expect((await sendTest(wrong)).stderr).toContain("the relay refused the login");
    expect(await sendTest(trusted)).toMatchObject({ code: 0, stderr: "" });
    await sendThroughCrash(trusted, received, 1);
  },
  TIMEOUT_MS,
);

/** @param before number of mails that arrived before */
async function sendThroughCrash(
  relay: Record<string, string>,
  received: { to: string[] }[],
  before = 0,
): Promise<void> {
  const env = {
    PLATEN_MAIL_FROM: "ada@example.com",
    PLATEN_NEWSLETTER_DELAY: "0s",
    PLATEN_MAIL_PER_HOUR: "100000",
    ...relay,
  };
  const { data, key } = await setUpBlog();
  const list = join(freshFolder(), "..", "readers.csv");
  const readers = Array.from({ length: READERS }, (_, at) => `r${at}@example.com`);
  await Bun.write(list, `Email\n${readers.join("\n")}\n`);
  const imported = await runPlaten(["subscriber", "import", list, "--blog", "ada", "--data", data]);
  expect([imported.stderr, imported.stdout]).toEqual([
    "",
    expect.stringContaining(`Added ${READERS} subscribers`),
  ]);
  await runPlaten(["reach", "set", "--blog", "ada", "--newsletter", "on", "--data", data]);

  const first = await startServer({ data, env });
  const answer = await fetch(`${first.url}/api/v1/posts`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ post: { title: "Hello", content: "<p>Hi.</p>", status: "published" } }),
  });
  expect(answer.status).toBe(201);
  const untilDone = async (isDone: () => boolean) => {
    for (let wait = 0; wait < 6000 && !isDone(); wait++) await Bun.sleep(20);
  };
  await untilDone(() => received.length >= before + READERS / 3);
  await first.kill();
  const second = await startServer({ data, env });
  const db = new Database(join(data, "platen.db"), { readonly: true });
  const state = () => db.query("SELECT state FROM newsletter_issues").values()[0]?.[0];
  await untilDone(() => state() === "sent");
  const unsure = Number(db.query("SELECT count(*) FROM deliveries WHERE state = 'unsure'").values()[0]?.[0]);
  expect(unsure).toBeLessThanOrEqual(1);
  // A relay may forward its last mails later.
  await untilDone(() => received.length >= before + READERS - unsure);
  const addresses = received.slice(before).map(({ to }) => to[0]);
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(addresses.length).toBeGreaterThanOrEqual(READERS - unsure);
  await second[Symbol.asyncDispose]();
}
