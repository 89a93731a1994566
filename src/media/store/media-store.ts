import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { Bucket } from "../../outgoing/bucket";
import type { Platen } from "../../platen";

/** Where uploads are kept instead of in the folder. In the database, so that it travels with the folder. */
interface MediaStore {
  /** s3://bucket/prefix */
  address: string;
  /** What is uploaded goes there too, once it is in the folder; else all comes back from there. */
  takesNew: boolean;
}

const NAME = "media_store";

/** Null where all uploads are in the folder. */
export function mediaStore(platen: Platen): MediaStore | null {
  return JSON.parse(getSetting(platen, NAME) ?? "null");
}

export function setMediaStore(platen: Platen, store: MediaStore): void {
  saveSetting(platen, NAME, JSON.stringify(store));
}

export function forgetMediaStore(platen: Platen): void {
  deleteSetting(platen, NAME);
}

/** One client for all that a process asks of the store. */
const buckets = new WeakMap<Platen["db"], Bucket>();

/** The store, to be asked. Null where there is none. */
export function storeBucket(platen: Platen): Bucket | null {
  const store = mediaStore(platen);
  if (store === null) return null;
  const known = buckets.get(platen.db);
  if (known?.address === store.address) return known;
  const bucket = new Bucket(store.address);
  buckets.set(platen.db, bucket);
  return bucket;
}

/** What a file at the store is called there: the path below the data folder, which its address has too. */
export function objectKey(folder: string, name: string): string {
  return `media/${folder}/${name}`;
}
