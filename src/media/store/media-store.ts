import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { Bucket } from "../../outgoing/bucket";
import type { Platen } from "../../platen";

/** Stored in the database, so that it travels with the data folder. */
interface MediaStore {
  /** "s3://bucket/prefix" */
  address: string;
  /** Whether new uploads go there; false while moving back. */
  takesNew: boolean;
}

const NAME = "media_store";

/** null if all uploads are local. */
export function mediaStore(platen: Platen): MediaStore | null {
  return JSON.parse(getSetting(platen, NAME) ?? "null");
}

export function setMediaStore(platen: Platen, store: MediaStore): void {
  saveSetting(platen, NAME, JSON.stringify(store));
}

export function forgetMediaStore(platen: Platen): void {
  deleteSetting(platen, NAME);
}

const buckets = new WeakMap<Platen["db"], Bucket>();

export function storeBucket(platen: Platen): Bucket | null {
  const store = mediaStore(platen);
  if (store === null) return null;
  const known = buckets.get(platen.db);
  if (known?.address === store.address) return known;
  const bucket = new Bucket(store.address);
  buckets.set(platen.db, bucket);
  return bucket;
}

/** Object key: the path below the data folder. */
export function objectKey(folder: string, name: string): string {
  return `media/${folder}/${name}`;
}
