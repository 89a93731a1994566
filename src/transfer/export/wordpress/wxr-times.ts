/** What WordPress has where there is no time. */
const NONE = "0000-00-00 00:00:00";

/** "2019-03-02 07:00:00", UTC. */
export function utcTime(at: Date | null): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : NONE;
}

/** The same on the clocks of a zone. */
export function zonedTime(at: Date, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return there.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
