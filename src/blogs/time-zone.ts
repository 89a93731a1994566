const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}(:?\d{2}(:?\d{2}([.,]\d+)?)?)?(Z|[+-]\d{2}(:?\d{2})?)$/i;
const TIME_WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/i;

/**
 * Parses "2026-03-01T09:00:00+0100", and in the zone also "2026-03-01T09:00" and "2026-03-01".
 * @returns null if the text is not a date or time, or if the day does not exist
 */
export function instantOf(text: string, zone: string): Date | null {
  return orNull(() => {
    if (TIME_WITH_OFFSET.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
    if (!TIME_WITHOUT_OFFSET.test(text)) return dayOf(text, zone)?.from.getTime() ?? null;
    const time = Temporal.PlainDateTime.from(text, { overflow: "reject" });
    return time.toZonedDateTime(zone).epochMilliseconds;
  });
}

export function hasOffset(text: string): boolean {
  return TIME_WITH_OFFSET.test(text);
}

/** Days may have 23 or 25 hours. `until` is exclusive. */
export function dayOf(text: string, zone: string): { from: Date; until: Date } | null {
  if (!DATE.test(text)) return null;
  const from = orNull(() => {
    const day = Temporal.PlainDate.from(text, { overflow: "reject" });
    return day.toZonedDateTime(zone).epochMilliseconds;
  });
  if (!from) return null;
  const next = Temporal.PlainDate.from(text).add({ days: 1 });
  return { from, until: new Date(next.toZonedDateTime(zone).epochMilliseconds) };
}

export function formatDate(at: Date, zone: string): string {
  const instant = Temporal.Instant.fromEpochMilliseconds(at.getTime());
  return instant.toZonedDateTimeISO(zone).toPlainDate().toString();
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function orNull(read: () => number | null): Date | null {
  try {
    const milliseconds = read();
    const instant = milliseconds === null ? null : new Date(milliseconds);
    // Years with more than four digits get a sign, which many programs cannot parse.
    return instant && instant.toISOString().length === "yyyy-mm-ddThh:mm:ss.mmmZ".length ? instant : null;
  } catch {
    return null;
  }
}
