import type { Properties } from "../../posts/post/mf2-properties";
import { urlOfValue } from "../../posts/post/mf2-properties";
import type { Operations } from "../requests/parsed-request";

/**
 * The properties that an update names, with the values they are to have afterwards; a list without values deletes one.
 * @param present all properties of the post (q=source)
 */
export function propertiesAfter(
  present: Properties,
  { replace, add, remove, removeAll }: Operations,
): Properties {
  const after = new Map<string, unknown[]>(Object.entries(replace));
  const valuesOf = (name: string) =>
    after.get(name) ?? (Object.hasOwn(present, name) ? (present[name] as unknown[]) : []);
  for (const [name, values] of Object.entries(add)) {
    const had = valuesOf(name);
    after.set(name, [...had, ...values.filter((value) => !had.some((other) => isSame(value, other)))]);
  }
  for (const [name, values] of Object.entries(remove))
    after.set(
      name,
      valuesOf(name).filter((had) => !values.some((value) => isSame(value, had))),
    );
  for (const name of removeAll) after.set(name, []);
  return Object.fromEntries(after);
}

/** A photo with an alt text may be named by its address alone. */
function isSame(named: unknown, value: unknown): boolean {
  if (Bun.deepEquals(named, value)) return true;
  return typeof named === "string" && typeof value === "object" && urlOfValue(value) === named;
}
