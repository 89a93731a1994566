import { expect, test } from "bun:test";
import { qrCode } from "../src/text/qr-code";

/** @returns rows of "#" and "." */
function parseRows(markup: string): string[] {
  const size = Number(/viewBox="0 0 (\d+)/.exec(markup)?.[1]);
  const dark = new Set([...markup.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x},${y}`));
  const places = Array.from({ length: size }, (_, at) => at);
  return places.map((y) => places.map((x) => (dark.has(`${x},${y}`) ? "#" : ".")).join(""));
}

const FINDER = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"];

test("a QR code has three finder patterns, a quiet zone, and an escaped label", () => {
  const { markup } = qrCode("https://blog.example/", 'For "you" & <me>');
  const rows = parseRows(markup);
  const corner = (x: number, y: number) => rows.slice(y, y + 7).map((row) => row.slice(x, x + 7));
  const far = rows.length - 4 - 7;
  for (const [x, y] of [
    [4, 4],
    [far, 4],
    [4, far],
  ] as const)
    expect(corner(x, y)).toEqual(FINDER);
  expect(rows.slice(0, 4).join("")).not.toContain("#");
  expect(markup).toContain('aria-label="For &quot;you&quot; &amp; &lt;me&gt;"');
  expect(parseRows(qrCode("https://blog.example/other", "").markup)).not.toEqual(rows);
});
