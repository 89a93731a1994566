import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { Bucket } from "../../outgoing/bucket";
import type { Platen } from "../../platen";

/** S3 setting. It is stored in the database, so that it moves with the data folder. */
interface MediaStore {
  /** S3 address: "s3://bucket/prefix". */
  address: string;
  /** Whether new uploads go to S3. false while files move back. */
  takesNew: boolean;
}

const NAME = "media_store";

/** Returns null if all uploads are local. */
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

/** Returns the object key: the path relative to the data folder. */
export function objectKey(folder: string, name: string): string {
  return `media/${folder}/${name}`;
}
