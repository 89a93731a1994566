import { describe, expect, test } from "bun:test";
import { deliveries, events } from "../../src/database/schema";
import { DUE, SENDING, WAITING } from "../../src/deliveries/claims";
import { deleteOldDeliveries } from "../../src/deliveries/delivery-log-and-redelivery";
import { UNQUEUED } from "../../src/deliveries/events-and-debouncing";
import { DAY } from "../support/platen";
import { receiver, startSending } from "../support/receiver";

const post = { title: "A", status: "published" };

test.each([
  ["due deliveries", DUE],
  ["deliveries of a killed process", SENDING],
  ["events without deliveries", UNQUEUED],
  ["channels with work", WAITING],
])("the loop finds %s by indexes", (_, query) => {
  const { platen } = startSending();
  const plan = platen.db.$client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`)
    .all()
    .map(({ detail }) => detail)
    .join("\n");
  expect(plan).not.toMatch(/SCAN (?!names VIRTUAL TABLE)(?!\w+ USING (COVERING )?INDEX deliveries_sending)/);
  expect(plan).not.toContain("TEMP B-TREE");
});

describe("the log", () => {
  test("keeps a settled delivery for 30 days, and a pending one without limit", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    addUrl(receiver().url);
    await api("POST", "/posts", { post });
    await loop.step();
    await api("POST", "/posts", { post });
    const remainingRows = () => [platen.db.$count(events), platen.db.$count(deliveries)];
    pass(30 * DAY - 1);
    deleteOldDeliveries(platen);
    expect(await Promise.all(remainingRows())).toEqual([2, 1]);
    pass(1);
    deleteOldDeliveries(platen);
    expect(await Promise.all(remainingRows())).toEqual([1, 0]);
    expect(platen.db.$client.query("SELECT count(*) AS n FROM attempts").get()).toEqual({ n: 0 });
    await loop.step();
    pass(29 * DAY);
    deleteOldDeliveries(platen);
    expect(await Promise.all(remainingRows())).toEqual([1, 1]);
  });
});
