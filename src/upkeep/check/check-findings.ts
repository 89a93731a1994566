import { grouped } from "../../text/numbers";

export interface CheckFinding {
  kind: string;
  sentence: string;
}

/** @param kind completes "And 7 more …" */
export function finding(kind: string, sentence: string): CheckFinding {
  return { kind, sentence };
}

const MAX_PER_KIND = 10;

export function summarizeFindings(findings: CheckFinding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const lines = all.slice(0, MAX_PER_KIND).map(({ sentence }) => sentence);
    const more = all.length - lines.length;
    return more > 0 ? [...lines, `And ${grouped(more)} more ${kind}.`] : lines;
  });
}
