import { expect, test } from "bun:test";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { getRelay, mailPerHour } from "../../src/mail/relay-settings";
import { recordNotice } from "../../src/notices/notice-recording-and-choices";
import { noticesChannel } from "../../src/notices/notices-channel";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { startOwned } from "../admin/owner";
import { mailServer, PASSWORD, refuse, USER } from "../support/mail-server";

test("an admin sets the relay and sees its response to a test mail", async () => {
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
  expect(await sent.text()).toContain("The relay accepted the e-mail to alan@example.org: 250");
  expect(received).toMatchObject([
    { to: ["alan@example.org"], text: expect.stringContaining("Platen can send mail") },
  ]);

  answers.recipient = () => refuse(550, "5.1.1 no such user");
  const refused = await browser.post("/admin/mail", { do: "test", to: "nobody@example.org" });
  expect(await refused.text()).toContain("Not sent: the relay refused the address: 550 5.1.1 no such user.");
});

test("a stored password stays for the same host and user, and is never sent to another host", async () => {
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

test("a relay at a private address set in the admin needs PLATEN_PRIVATE_HOSTS", async () => {
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

test("a rejected login is shown on Home, Reach and Mail until a test succeeds", async () => {
  const { relay, received, answers } = await mailServer();
  const owned = await startOwned({ relay });
  const { browser, platen, account } = owned;
  const loop = deliveryLoop(platen, [noticesChannel], guardedClient(platen.config));
  answers.login = refuse(535, "5.7.8 password expired");
  recordNotice(platen, account, "changed the password", { about: "Firefox" });
  await loop.step();
  for (const path of ["/admin/blogs/ada", "/admin/blogs/ada/reach", "/admin/mail"])
    expect([path, await (await browser.get(path)).text()]).toEqual([
      path,
      expect.stringContaining("the relay refused the login: 535 5.7.8 password expired"),
    ]);
  answers.login = undefined;
  await browser.post("/admin/mail", { do: "test", to: "alan@example.org" });
  expect(await (await browser.get("/admin/blogs/ada")).text()).not.toContain("No mail is being sent");
  await loop.step();
  expect(received.map(({ to, headers }) => [to[0], /^Subject: (.*)/m.exec(headers)?.[1]])).toEqual([
    ["alan@example.org", "A test from Platen"],
    [account.email, "Your password was changed"],
    [account.email, "New sign-in to your account"],
  ]);
});

test("the limit of mails per hour is set with the relay, unless the environment sets it", async () => {
  const { browser, platen } = await startOwned();
  const save = (per_hour: string) =>
    browser.post("/admin/mail", { do: "save", url: "smtp://mail.example.com:587", from: USER, per_hour });
  expect(mailPerHour(platen)).toBe(500);
  await save("50");
  expect(mailPerHour(platen)).toBe(50);
  expect(await (await browser.get("/admin/mail")).text()).toContain(
    'name="per_hour" aria-describedby="per_hour-hint" value="50"',
  );
  expect([(await save("many")).status, mailPerHour(platen)]).toEqual([422, 50]);
  expect(mailPerHour({ ...platen, config: { ...platen.config, mailPerHour: 7 } })).toBe(7);
});

test("an invitation can be sent by mail; its link is also shown", async () => {
  const { relay, received, answers } = await mailServer();
  const { browser } = await startOwned({ relay });
  const invite = async (email: string) =>
    (await browser.post("/admin/people", { do: "invite", role: "author", email })).text();
  expect(await (await browser.get("/admin/people")).text()).toContain("Send the invitation by e-mail");
  const page = await invite("bob@example.org");
  expect(page).toContain("The invitation was sent to bob@example.org.");
  const [link = ""] = /http:\/\/blog\.test\/auth\/join\/[\w-]+/.exec(page) ?? [];
  expect(received[0]).toMatchObject({ to: ["bob@example.org"], text: expect.stringContaining(link) });
  answers.recipient = () => refuse(550, "5.1.1 no such user");
  expect(await invite("eve@example.org")).toContain("5.1.1 no such user. Send the link yourself.");
  expect(await invite("no address")).toContain("must be like you@example.com");
  expect(await (await (await startOwned()).browser.get("/admin/people")).text()).not.toContain(
    "Send the invitation by",
  );
});
