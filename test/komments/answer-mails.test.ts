import { describe, expect, test } from "bun:test";
import { komments } from "../../src/database/schema";
import { deliveryLoop } from "../../src/deliveries/delivery-loop";
import { answersChannel, deleteUnconfirmedAnswerMails } from "../../src/komments/answer-mails";
import { setBlocked } from "../../src/komments/blocked-words-and-hosts";
import { answerKomment } from "../../src/komments/writing-and-importing-komments";
import { guardedClient } from "../../src/outgoing/guarded-client";
import { mailServer } from "../support/mail-server";
import { DAY, HOUR, startPlaten } from "../support/platen";
import { page, post, write } from "./forms";

const GRACE = "grace@example.com";
const ASKED = { answers: "yes", email: GRACE };

async function start() {
  const { relay, received } = await mailServer();
  const at = startPlaten({ relay });
  const loop = deliveryLoop(at.platen, [answersChannel], guardedClient(at.platen.config));
  await post(at);
  const link = (index: number, kind: string) => {
    const [found = ""] =
      new RegExp(`http://\\S+/komments/answers/${kind}/\\S+`).exec(received[index]?.text ?? "") ?? [];
    return new URL(found).pathname;
  };
  const storedKomment = () => at.platen.db.select().from(komments).all()[0];
  const press = (path: string, init: RequestInit = {}) => at.fetch(path, { method: "POST", ...init });
  return { ...at, loop, received, link, storedKomment, press };
}

describe("a reader who wrote a komment", () => {
  test("confirms the address, gets a mail about the reply, and unsubscribes with one click", async () => {
    const at = await start();
    const answer = await write(at, ASKED);
    expect(await page(at, answer.headers.get("location") as string)).toContain("open the link in the e-mail");
    await answerKomment(at.platen, { id: 1 }, "Thank you, *Grace*!");
    await at.loop.step();
    expect(at.received.map(({ to }) => to)).toEqual([[GRACE]]);

    const confirm = at.link(0, "confirm");
    expect(await page(at, confirm)).toContain(`action="${confirm}"`);
    expect(at.storedKomment()?.answerToConfirmedAt).toBeNull();
    expect(await (await at.press(confirm)).text()).toContain("You will get an e-mail");
    // The reply came before the address was confirmed.
    await at.loop.step();
    expect(at.received[1]?.text).toContain("> Thank you, *Grace*!");
    expect(at.received[1]?.headers).toContain("Subject: Ada replied to your komment");
    await answerKomment(at.platen, { id: 1 }, "Thank you, dear Grace!");
    await at.loop.step();
    expect(at.received).toHaveLength(2);

    const leave = at.link(1, "leave");
    expect(at.received[1]?.headers).toContain(`List-Unsubscribe: <http://blog.test${leave}>`);
    expect(at.received[1]?.headers).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    await at.fetch(leave);
    expect(at.storedKomment()?.answerTo).toBe(GRACE);
    const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const ended = await at.press(leave, { body, headers: { origin: "https://mail.example" } });
    expect([ended.status, at.storedKomment()?.answerTo, at.storedKomment()?.answerToConfirmedAt]).toEqual([
      200,
      null,
      null,
    ]);
    await answerKomment(at.platen, { id: 1 }, "");
    await answerKomment(at.platen, { id: 1 }, "Again.");
    await at.loop.step();
    expect(at.received).toHaveLength(2);
    expect((await at.press(confirm)).status).toBe(404);
  });

  test("gets no mail without confirming or asking; the address is deleted after 7 days", async () => {
    const at = await start();
    await write(at, ASKED);
    await write(at, { address: "other@example.com" });
    for (const id of [1, 2]) await answerKomment(at.platen, { id }, "Thanks.");
    await at.loop.step();
    expect(at.received).toHaveLength(1);
    const confirm = at.link(0, "confirm");
    at.pass(7 * DAY + 1);
    expect((await at.press(confirm)).status).toBe(404);
    deleteUnconfirmedAnswerMails(at.platen);
    expect(at.storedKomment()?.answerTo).toBeNull();
  });

  test("may type the address in the website field; it is validated, and shown nowhere", async () => {
    const at = await start();
    const wrong = await write(at, { ...ASKED, email: "grace@@example.com\r\nBcc: x@example.com" });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain("E-mail address must be like you@example.com.");
    expect((await write(at, { answers: "yes", email: "" })).status).toBe(422);
    await write(at, { answers: "yes", email: "", address: GRACE });
    await at.loop.step();
    expect(at.received[0]?.to).toEqual([GRACE]);
    await at.press(at.link(0, "confirm"));
    await answerKomment(at.platen, { id: 1 }, "Thanks.");
    expect(await page(at, "/tea")).not.toContain(GRACE);
  });

  test("cannot use another token or one of another blog", async () => {
    const at = await start();
    at.newBlog({ slug: "other" });
    await write(at, ASKED);
    await at.loop.step();
    const token = at.link(0, "confirm").split("/").at(-1) as string;
    const [id, end, signature] = token.split(".") as [string, string, string];
    for (const path of [
      `/@other/komments/answers/confirm/${token}`,
      `/komments/answers/confirm/${id}.${signature}`,
      `/komments/answers/confirm/${Number(id) + 1}.${end}.${signature}`,
      `/newsletter/confirm/${token}`,
    ])
      expect([path, (await at.press(path)).status]).toEqual([path, 404]);
    for (const wrong of [token, `${id}.${signature}`]) await at.press(`/komments/answers/leave/${wrong}`);
    expect(at.storedKomment()?.answerTo).toBe(GRACE);
  });
});

describe("the form", () => {
  test("offers mails only while a relay is set", async () => {
    const at = startPlaten();
    await post(at);
    expect(await page(at, "/komments/tea")).not.toContain('name="answers"');
    expect((await write(at, ASKED)).status).toBe(303);
    expect(at.platen.db.select().from(komments).all()[0]?.answerTo).toBeNull();
    expect(await page(await start(), "/komments/tea")).toContain('name="answers"');
  });

  test("sends at most 3 mails a day to an address, and 5 an hour for a client, counted with the newsletter", async () => {
    const at = await start();
    const answers: number[] = [];
    for (let count = 0; count < 6; count++) {
      answers.push((await write(at, ASKED)).status);
      await at.loop.step();
    }
    expect(answers).toEqual([303, 303, 303, 303, 303, 429]);
    expect(at.received).toHaveLength(3);
    at.pass(HOUR);
    expect((await write(at)).status).toBe(303);
  });

  test("sends no mail for a komment with a blocked word", async () => {
    const at = await start();
    setBlocked(at.platen, at.blog, "pills");
    await write(at, { ...ASKED, text: "buy pills" });
    await at.loop.step();
    expect([at.received.length, at.storedKomment()?.answerTo]).toEqual([0, null]);
  });
});
