import { expect, test } from "bun:test";
import { listRegressions } from "../bench/speed/report";

test("the report names figures that got worse by more than 15 %", () => {
  const report = (ofBare: number, times: number, rate: number, size: number) => `
## Beside

| Request | Bare | Platen | Of bare | Target |
| :-- | --: | --: | --: | --: |
| a page | 1 | 2 | ${ofBare} | ≥ 0.75: missed |

## Growth

| Request | Times | A second | Measured |
| :-- | --: | --: | --: |
| a list | ${times} | ${rate} | ${size} |
`;
  const before = report(0.5, 1.5, 100, 40);
  expect(listRegressions(before, before)).toEqual([]);
  expect(listRegressions(before, report(0.9, 1, 200, 20))).toEqual([]);
  expect(listRegressions(before, report(0.45, 1.6, 90, 45))).toEqual([]);
  expect(listRegressions(before, report(0.4, 1.8, 80, 50))).toEqual([
    "Beside: a page, Of bare: 0.4, was 0.5",
    "Growth: a list, Times: 1.8, was 1.5",
    "Growth: a list, A second: 80, was 100",
    "Growth: a list, Measured: 50, was 40",
  ]);
  // Fractions of a millisecond are mostly noise.
  expect(listRegressions(report(1, 0.8, 1, 1), report(1, 1.2, 1, 1))).toEqual([]);
});
