import { type Properties, urlOfValue } from "../../posts/post/mf2-properties";

const MEDIA_PROPERTIES = ["photo", "video"];

/** URLs of photos and videos. */
export function mediaAddresses(properties: Properties): string[] {
  return MEDIA_PROPERTIES.flatMap((name) => (properties[name] ?? []).map(urlOfValue)).filter(
    (address) => address !== null,
  );
}

/** Applies mp-photo-alt to photos without an alt text. */
export function withPhotoAlts(properties: Properties, alts: unknown[] = []): Properties {
  const { photo } = properties;
  if (!photo || alts.length === 0) return properties;
  const described = photo.map((value, at) => {
    const alt = alts[at];
    return typeof value === "string" && typeof alt === "string" && alt !== "" ? { value, alt } : value;
  });
  return { ...properties, photo: described };
}

/** Replaces media URLs; alt texts stay. */
export function withAddresses(properties: Properties, addresses: Map<string, string>): Properties {
  const replaceUrl = (value: unknown) => {
    const address = addresses.get(urlOfValue(value) ?? "");
    if (address === undefined) return value;
    return typeof value === "string" ? address : { ...(value as object), value: address };
  };
  const named = MEDIA_PROPERTIES.filter((name) => properties[name]);
  return {
    ...properties,
    ...Object.fromEntries(named.map((name) => [name, properties[name]?.map(replaceUrl)])),
  } as Properties;
}
