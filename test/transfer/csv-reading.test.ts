import { expect, test } from "bun:test";
import { readCsvRows } from "../../src/transfer/import/sources/csv-reader";

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
    expect(await Array.fromAsync(readCsvRows(pieces()))).toEqual([
      { name: 'A "quoted", name', text: "two\nlines, and a comma", more: "" },
      { name: 'bare "in the middle"', text: "ü🪴", more: "1" },
      { name: "short", text: "", more: "" },
      { name: 'never ends, with a "quote"\n', text: "", more: "" },
    ]);
  }
});

test("a row of more cells than there may be columns is read as far as those, and a table of more columns not at all", async () => {
  const bytes = async function* (text: string) {
    yield Buffer.from(text);
  };
  const columns = (many: number) => Array.from({ length: many }, (_, at) => `c${at}`).join();
  const [row] = await Array.fromAsync(readCsvRows(bytes(`${columns(1000)}\n${"x,".repeat(100_000)}`)));
  expect([Object.keys(row ?? {}).length, row?.c999]).toEqual([1000, "x"]);
  expect(Array.fromAsync(readCsvRows(bytes(`${columns(1001)}\nx`)))).rejects.toThrow(
    "more than 1000 columns",
  );
});
