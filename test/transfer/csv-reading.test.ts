import { expect, test } from "bun:test";
import { csvRows } from "../../src/transfer/import/sources/csv-reading";

const TABLE = `\uFEFFname, text,more\r
"A ""quoted"", name","two
lines, and a comma","" \r
bare "in the middle",ü🪴,1,beyond
\r
short
"never ends, with a ""quote""
`;

test("a table's rows are what they are, wherever the pieces of the file end", async () => {
  const bytes = Buffer.from(TABLE);
  for (const size of [1, 2, 3, 5, 64, 10_000]) {
    const pieces = async function* () {
      for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
    };
    expect(await Array.fromAsync(csvRows(pieces()))).toEqual([
      { name: 'A "quoted", name', text: "two\nlines, and a comma", more: "" },
      { name: 'bare "in the middle"', text: "ü🪴", more: "1" },
      { name: "short", text: "", more: "" },
      { name: 'never ends, with a "quote"\n', text: "", more: "" },
    ]);
  }
});
