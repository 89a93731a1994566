import { describe, expect, test } from "bun:test";
import { checkRelay, type Mail, sendMail } from "../../src/mail/smtp";
import { callPlaten } from "../support/command";
import { mailServer, makeCertificate, refuse, USER } from "../support/mail-server";
import { HOUR, MINUTE, startPlaten } from "../support/platen";

const MAIL: Mail = {
  to: "alan@example.org",
  subject: "Tea",
  text: "Green tea.",
  html: "<p>Green <b>tea</b>.</p>",
};

test("a mail arrives with a plain and an HTML part, after a login", async () => {
  const { relay, received } = await mailServer();
  const { platen } = startPlaten({ relay });
  const outcome = await sendMail(platen, { ...MAIL, fromName: "Ada’s Blog", messageId: "1@blog.test" });
  expect(outcome).toMatchObject({ status: 250 });
  expect(outcome.failure).toBeUndefined();
  const [mail] = received;
  expect(mail).toMatchObject({ from: USER, to: ["alan@example.org"] });
  expect(mail?.text).toContain("Green tea.");
  expect(mail?.html).toContain("<b>tea</b>");
  expect(mail?.headers).toContain("Message-ID: <1@blog.test>");
  expect(mail?.headers).toContain("Auto-Submitted: auto-generated");
  expect(mail?.headers).toMatch(/From: =\?UTF-8\?Q\?Ada=E2=80=99s_Blog\?= <blog@example.com>/);
});

test("mail test reports a failure on standard error", async () => {
  const { data } = startPlaten().platen.config;
  expect(await callPlaten(["mail", "test", "you@example.org", "--data", data])).toEqual({
    code: 1,
    stdout: "",
    stderr: "No relay is set. Set PLATEN_SMTP_URL, or a relay under Mail in the admin.\n",
  });
});

test("line breaks in names and subjects add no header, and an address is a single one", async () => {
  const { relay, received } = await mailServer();
  const { platen } = startPlaten({ relay });
  const evil = "Tea\r\nBcc: eve@example.org\r\n\r\nHello";
  await sendMail(platen, {
    ...MAIL,
    subject: evil,
    fromName: evil,
    replyTo: `a@example.org\r\nBcc: ${USER}`,
  });
  expect(received[0]?.to).toEqual(["alan@example.org"]);
  expect(received[0]?.headers).not.toMatch(/^bcc:/im);
  expect(received[0]?.headers).not.toMatch(/^reply-to:/im);
  for (const to of ["a@example.org, b@example.org", "a@example.org\r\nb", "<a@example.org>", "a"])
    expect(await sendMail(platen, { ...MAIL, to })).toMatchObject({ end: "failed" });
  expect(received).toHaveLength(1);
});

test("a mail is not sent again if the connection broke after its text was sent", async () => {
  const { relay, received, answers } = await mailServer();
  const { platen } = startPlaten({ relay });
  answers.isCut = true;
  expect(await sendMail(platen, MAIL)).toMatchObject({
    status: null,
    end: "unsure",
    failure: expect.stringContaining("the connection was lost"),
  });
  answers.isCut = false;
  expect(await sendMail(platen, MAIL)).toMatchObject({ status: 250 });
  expect(received.length).toBeLessThanOrEqual(2);
});

describe("the response of the relay:", () => {
  test("4xx is retried, 5xx of a recipient ends the delivery", async () => {
    const { relay, answers } = await mailServer();
    const { platen } = startPlaten({ relay });
    answers.recipient = () => refuse(451, "4.7.1 greylisted");
    const waits = await sendMail(platen, MAIL);
    expect(waits).toMatchObject({ status: 451, failure: expect.stringContaining("greylisted") });
    expect([waits.end, waits.pauseFor]).toEqual([undefined, undefined]);
    answers.recipient = () => refuse(550, "5.1.1 no such user");
    expect(await sendMail(platen, MAIL)).toMatchObject({
      status: 550,
      end: "failed",
      failure: expect.stringMatching(/refused the address: .*no such user/),
    });
  });

  test("a rejected login pauses deliveries for an hour, an unreachable relay for five minutes", async () => {
    const { relay } = await mailServer();
    const wrong = startPlaten({ relay: { ...relay, password: "wrong" } }).platen;
    expect(await sendMail(wrong, MAIL)).toMatchObject({
      pauseFor: HOUR,
      failure: expect.stringMatching(/refused the login: .*wrong password/),
    });
    expect(await checkRelay(wrong)).toContain("refused the login");
    const nowhere = startPlaten({ relay: { ...relay, port: 1 } }).platen;
    expect(await sendMail(nowhere, MAIL)).toMatchObject({
      pauseFor: 5 * MINUTE,
      failure: expect.stringContaining("could not be reached"),
    });
  });
});

describe("encryption:", () => {
  test("the certificate is checked, with STARTTLS and with TLS", async () => {
    const { ca, key, cert } = await makeCertificate("127.0.0.1");
    const other = await makeCertificate("relay.example.com");
    for (const secure of [false, true]) {
      const { relay, received } = await mailServer({ secure, key, cert });
      const refused = await sendMail(startPlaten({ relay }).platen, MAIL);
      expect(refused.failure).toContain("certificate is not valid");
      expect(received).toEqual([]);
      const sent = await sendMail(startPlaten({ relay, relayCa: ca }).platen, MAIL);
      expect(sent).toMatchObject({ status: 250 });
      expect(received).toMatchObject([{ isEncrypted: true }]);
      const named = await mailServer({ secure, key: other.key, cert: other.cert });
      const wrongName = startPlaten({ relay: named.relay, relayCa: other.ca }).platen;
      expect((await sendMail(wrongName, MAIL)).failure).toContain("certificate is not valid");
      expect(named.received).toEqual([]);
    }
  });
});

test("consecutive mails share a connection", async () => {
  const { relay, received, connections } = await mailServer();
  const { platen } = startPlaten({ relay });
  for (let count = 0; count < 3; count++) await sendMail(platen, MAIL);
  expect([received.length, connections()]).toEqual([3, 1]);
});
