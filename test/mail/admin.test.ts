import { expect, test } from "bun:test";
import { getRelay } from "../../src/mail/relay";
import { startOwned } from "../admin/owner";
import { mailServer, PASSWORD, refuse, USER } from "../support/mail-server";

test("an admin sets the relay and reads what it answers to a test", async () => {
  const { relay, received, answers } = await mailServer();
  const owned = await startOwned({ privateHosts: ["127.0.0.1"] });
  const { browser, platen } = owned;
  const url = `smtp://${encodeURIComponent(USER)}@127.0.0.1:${relay.port}`;
  const saved = await browser.post("/admin/mail", { do: "save", url, password: PASSWORD, from: USER });
  expect(saved.headers.get("location")).toStartWith("/admin/mail");
  expect(getRelay(platen)).toEqual(relay);

  const page = await (await browser.get("/admin/mail")).text();
  expect(page).toContain(`value="${url}"`);
  expect(page).not.toContain(PASSWORD);
  const sent = await browser.post("/admin/mail", { do: "test", to: "alan@example.org" });
  expect(await sent.text()).toContain("The relay accepted the mail to alan@example.org: 250");
  expect(received).toMatchObject([
    { to: ["alan@example.org"], text: expect.stringContaining("Platen can send mail") },
  ]);

  answers.recipient = () => refuse(550, "5.1.1 no such user");
  const refused = await browser.post("/admin/mail", { do: "test", to: "nobody@example.org" });
  expect(await refused.text()).toContain("Not sent: the relay refused the address: 550 5.1.1 no such user.");
});

test("a stored password is kept while host and user stay, and never goes to another host", async () => {
  const owned = await startOwned();
  const { browser, platen } = owned;
  const save = (url: string, password = "") =>
    browser.post("/admin/mail", { do: "save", url, password, from: USER });
  await save("smtp://blog@mail.example.com:587", "secret");
  await save("smtps://blog@mail.example.com:465");
  expect(getRelay(platen)).toMatchObject({ password: "secret", isSecure: true, port: 465 });
  await save("smtps://blog@evil.example.com:465");
  expect(getRelay(platen)).toMatchObject({ host: "evil.example.com", password: null });
  const wrong = await save("https://mail.example.com");
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("must be like smtp://")]);
  await save("");
  expect(getRelay(platen)).toBeNull();
});

test("a relay at a private address needs PLATEN_PRIVATE_HOSTS if it is set in the admin", async () => {
  const { relay, received } = await mailServer();
  const { browser } = await startOwned();
  await browser.post("/admin/mail", {
    do: "save",
    url: `smtp://127.0.0.1:${relay.port}`,
    password: "",
    from: USER,
  });
  const page = await (await browser.post("/admin/mail", { do: "test", to: "alan@example.org" })).text();
  expect(page).toContain("set PLATEN_PRIVATE_HOSTS=127.0.0.1 to allow it");
  expect(received).toEqual([]);
});
