/** A part of a pattern that matches a run of characters. */
interface Run {
  takes: Set<string>;
  isOptional: boolean;
  isUnbounded: boolean;
}

/** A part that may fail and matches no characters: an anchor or lookaround. */
const CHECK: Run = { takes: new Set(), isOptional: false, isUnbounded: false };

/** One sample of each character class. */
const SAMPLES = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  "é",
  "語",
  "\u2028",
  "–",
];

/**
 * @returns why a pattern may take more than linear time; null if it cannot. False alarms are possible. It
 * looks for nested unbounded quantifiers, adjacent quantifiers that match the same characters, and
 * quantifiers that are retried from each character they have passed.
 */
export function costOf(source: string, flags: string): string | null {
  const reading = new Reading(source, flags);
  const ways = reading.alternatives();
  if (reading.isNested) return "nested";
  const isAnchored = (way: Run[]) => way[0] === CHECK && /^(\(\?:)?\^/.test(source) && !flags.includes("m");
  for (const way of ways) {
    const unbounded = way.flatMap((run, at) => (run.isUnbounded ? [at] : []));
    for (const at of unbounded) {
      const samples = way[at]?.takes as Set<string>;
      const swallows = (run: Run) => run.isOptional || run === CHECK || overlap(run.takes, samples);
      if (
        unbounded.some(
          (next) =>
            next > at && overlap(way[next]?.takes, samples) && way.slice(at + 1, next).every(swallows),
        )
      )
        return "adjacent";
      const mayFail = way.slice(at + 1).some((run) => !run.isOptional);
      if (mayFail && !isAnchored(way) && !flags.includes("y") && way.slice(0, at).every(swallows))
        return "restarted";
    }
  }
  return null;
}

function overlap(one = new Set<string>(), other: Set<string>): boolean {
  return [...one].some((character) => other.has(character));
}

/** Parses a pattern into possible sequences of runs; a repeated group counts as one run. */
class Reading {
  isNested = false;
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly flags: string,
  ) {}

  alternatives(): Run[][] {
    const found: Run[][] = [];
    let ways: Run[][] = [[]];
    while (this.at < this.source.length && this.source[this.at] !== ")") {
      if (this.source[this.at] === "|") {
        this.at++;
        found.push(...ways);
        ways = [[]];
        continue;
      }
      const next = this.item();
      ways = ways.flatMap((way) => next.map((run) => [...way, ...run])).slice(0, 500);
    }
    return [...found, ...ways];
  }

  /** @returns alternatives of an item with its quantifier */
  private item(): Run[][] {
    const { source } = this;
    const start = this.at;
    const group = /^\((\?(?:<?[=!]|:|<\w+>))?/.exec(source.slice(start));
    if (group) {
      this.at += group[0].length;
      const inner = this.alternatives();
      this.at++;
      if (/[=!]$/.test(group[1] ?? "")) return [[CHECK]];
      const { least, most } = this.quantifier();
      if (most === 1) return least === 0 ? [...inner, []] : inner;
      const runs = inner.flat();
      if (most === Number.POSITIVE_INFINITY && runs.some(({ isUnbounded }) => isUnbounded))
        this.isNested = true;
      const takes = new Set(runs.flatMap((run) => [...run.takes]));
      return [[{ takes, isOptional: least === 0, isUnbounded: most === Number.POSITIVE_INFINITY }]];
    }
    const atom = /^(?:\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\.|[\s\S])/iu.exec(
      source.slice(start),
    );
    const spelled = atom?.[0] as string;
    this.at += spelled.length;
    if (/^(\^|\$|\\[bB])$/.test(spelled)) return [[CHECK]];
    const { least, most } = this.quantifier();
    const one = new RegExp(`^(?:${spelled})$`, this.flags.replace(/[gy]/g, ""));
    const takes = new Set(SAMPLES.filter((character) => one.test(character)));
    return [[{ takes, isOptional: least === 0, isUnbounded: most === Number.POSITIVE_INFINITY }]];
  }

  private quantifier(): { least: number; most: number } {
    const [spelled = "", sign, from, comma, to] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.at)) ?? [];
    this.at += spelled.length;
    if (sign === "?") return { least: 0, most: 1 };
    if (sign) return { least: sign === "*" ? 0 : 1, most: Number.POSITIVE_INFINITY };
    if (from === undefined) return { least: 1, most: 1 };
    const least = Number(from);
    return { least, most: to ? Number(to) : comma ? Number.POSITIVE_INFINITY : least };
  }
}
