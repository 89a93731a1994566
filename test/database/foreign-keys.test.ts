import { expect, test } from "bun:test";
import { startPlaten } from "../support/platen";

test("every foreign key has an index, so that deleting a row scans no table", () => {
  const client = startPlaten().platen.db.$client;
  const unfound = client
    .query(
      `select m.name || '.' || f."from" as name from sqlite_schema m, pragma_foreign_key_list(m.name) f
       where m.type = 'table' and not exists (
         select 1 from pragma_index_list(m.name) l, pragma_index_info(l.name) i
         where (not l.partial or f."from" = 'long_id') and i.seqno = 0 and i.name = f."from"
         union all select 1 from pragma_table_info(m.name) c where c.pk = 1 and c.name = f."from")`,
    )
    .all();
  expect(unfound).toEqual([]);
});
