import { expect, test } from "bun:test";
import { idempotentAnswers, sessions } from "../../src/database/schema";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { DAY, HOUR, startPlaten } from "../support/platen";

test("stored responses older than a day and expired sessions are deleted", () => {
  const { platen, account, pass } = startPlaten();
  const tasks = periodicTasks(platen);
  const answer = { keyId: 1, request: "", status: 201, headers: {}, body: "" };
  const session = { accountId: account.id, createdAt: platen.now() };
  const later = (milliseconds: number) => new Date(platen.now().getTime() + milliseconds);
  platen.db
    .insert(idempotentAnswers)
    .values({ ...answer, idempotencyKey: "old", createdAt: platen.now() })
    .run();
  platen.db
    .insert(idempotentAnswers)
    .values({ ...answer, idempotencyKey: "new", createdAt: later(HOUR) })
    .run();
  platen.db
    .insert(sessions)
    .values({ ...session, hash: "over", expiresAt: later(DAY) })
    .run();
  platen.db
    .insert(sessions)
    .values({ ...session, hash: "open", expiresAt: later(DAY + 1) })
    .run();
  tasks.step();
  expect(platen.db.select().from(idempotentAnswers).all()).toHaveLength(2);

  pass(DAY);
  tasks.step();
  expect(platen.db.select().from(idempotentAnswers).all()).toMatchObject([{ idempotencyKey: "new" }]);
  expect(platen.db.select().from(sessions).all()).toMatchObject([{ hash: "open" }]);
});
