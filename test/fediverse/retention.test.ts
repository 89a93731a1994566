import { expect, test } from "bun:test";
import { seenActivities } from "../../src/database/schema";
import { deleteOldActivities } from "../../src/fediverse/remote-actors";
import { DAY, startPlaten } from "../support/platen";

test("old activities are deleted in batches, so that no batch blocks the server", () => {
  const at = startPlaten();
  const now = at.platen.now().getTime();
  const insert = (name: string, age: number) =>
    at.platen.db
      .insert(seenActivities)
      .values({ blogId: at.blog.id, uri: `https://a.example/${name}`, at: new Date(now - age) })
      .run();
  for (let number = 0; number < 700; number++) insert(`old${number}`, 8 * DAY);
  insert("new", 6 * DAY);
  expect([deleteOldActivities(at.platen), deleteOldActivities(at.platen)]).toEqual([true, false]);
  const left = at.platen.db.select().from(seenActivities).all();
  expect(left.map(({ uri }) => uri)).toEqual(["https://a.example/new"]);
});
