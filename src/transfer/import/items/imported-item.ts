import type { ImportedKomment } from "../../../komments/importing-komments";
import type { ImportedMessage } from "../../../messages/importing-messages";
import type { PostRow } from "../../../posts/post/post";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import type { PostChanges } from "../../../posts/writing/post-changes";
import { percentDecoded } from "../../../text/clean-text";
import { SourceFault } from "../sources/source";

/** A post or page as a format's reader finds it: the one shape that everything from elsewhere takes before it comes in. */
export interface ImportedItem {
  /** What it is called there, the same whenever it is read: a second import knows it by that. */
  key: string;
  /** For people: a title, a file's path. */
  name: string;
  type: PostRow["type"];
  title: string;
  /** The author's own, of any length; "": none. */
  summary: string;
  /** Shown before all others there. */
  pinned: boolean;
  content: string;
  contentType: "html" | "markdown";
  status: PostRow["status"];
  publishedAt: Date | null;
  /** null: at its publication, or now. */
  createdAt: Date | null;
  updatedAt: Date | null;
  /** null: the end of its address, or made from its title. */
  slug: string | null;
  /** Where it was: whole addresses, or paths from the top of the site ("/2013/05/tea/", "/?p=7"); the first is its own. */
  formerAddresses: string[];
  category: string | null;
  tags: string[];
  hidden: boolean;
  kommentsDisabled: boolean;
  komments: ImportedKomment[];
  /** What it was before, the oldest first. */
  formerVersions: FormerVersion[];
  /** What addresses in the content are relative to; of a file in the source one of `addressInSource`. */
  base: string;
  /** Shown at the top, where the content does not have it. */
  featured: ImportedPicture | null;
  /** What is known of pictures in the content beside what stands there: by their address. */
  pictures: Map<string, Omit<ImportedPicture, "address">>;
  /** Of one that Platen has exported: what no other has. */
  own: OwnFields | null;
  /** What it had that is lost, in words that many may share ("a password", "the shortcode [map]"). */
  lost: string[];
}

/** What an item was until a save. */
export interface FormerVersion {
  replacedAt: Date;
  /** As a revision keeps them, without content; files go by the names they had. */
  fields: RevisionFields;
  /** What it said, with pictures as in the item; null: what the next one did. */
  said: Pick<ImportedItem, "content" | "contentType"> | null;
}

/** As PostChanges has them; the files go by the names they had. */
export type OwnFields = Required<
  Pick<
    PostChanges,
    | "altText"
    | "previewImage"
    | "hideInRss"
    | "noIndexNoFollow"
    | "showContactForm"
    | "skipArchive"
    | "isShared"
    | "properties"
  >
>;

export interface ImportedPicture {
  address: string;
  /** null: nothing is known; "": it is decoration. */
  alt: string | null;
  caption: string;
}

/** What a reader comes upon. */
export type Found =
  | { item: ImportedItem }
  | { message: ImportedMessage }
  | { fault: ItemFault }
  | { passedOver: string; name?: string };

/** Something that cannot be read; the rest goes on. */
export interface ItemFault {
  name: string;
  why: string;
}

/** What `read` gives; or, where that cannot be read, a fault of its own, so that the rest goes on. */
export async function orFault<Given extends Found | null>(
  name: string,
  read: () => Given | Promise<Given>,
): Promise<Given | Found> {
  try {
    return await read();
  } catch (fault) {
    if (fault instanceof SourceFault) return { fault: { name, why: fault.message } };
    if (fault instanceof RangeError) return { fault: { name, why: "is nested too deep to be read." } };
    throw fault;
  }
}

const SOURCE = "source://files/";

/** The address of a file in the source, for `base` and pictures. */
export function addressInSource(path: string): string {
  return SOURCE + path.split("/").map(encodeURIComponent).join("/");
}

/** "source://files/a/b.jpg" → "a/b.jpg"; null for an address elsewhere. */
export function pathInSource(address: string): string | null {
  return address.startsWith(SOURCE) ? decodedPath(address.slice(SOURCE.length)) : null;
}

/** Without query and fragment; as it stands where it is not percent-encoded UTF-8. */
export function decodedPath(path: string): string {
  const end = path.search(/[?#]/);
  const bare = end < 0 ? path : path.slice(0, end);
  return percentDecoded(bare) ?? bare;
}

/** An item with all that most have; a reader says what it knows better. */
export function plainItem(
  known: Pick<ImportedItem, "key" | "name" | "content" | "contentType" | "base"> & Partial<ImportedItem>,
): ImportedItem {
  return {
    ...{
      type: "post",
      title: "",
      summary: "",
      pinned: false,
      status: "published",
      slug: null,
      category: null,
    },
    ...{ publishedAt: null, createdAt: null, updatedAt: null },
    ...{ hidden: false, kommentsDisabled: false, featured: null, own: null },
    ...{ formerAddresses: [], tags: [], komments: [], formerVersions: [], lost: [], pictures: new Map() },
    ...known,
  };
}

/** What cannot be read of a JSON file, by the title that its text begins with. @param what in the file: "a post in it" */
export function unreadable(
  { beginning, isTooLong }: { beginning: string; isTooLong: boolean },
  path: string,
  what: string,
): ItemFault {
  const [, title] = /"title"\s{0,9}:\s{0,9}("(?:[^"\\]|\\.){1,500}")/.exec(beginning) ?? [];
  const why = isTooLong ? "is longer than any post can be." : "cannot be read.";
  const name = title && textIn(title);
  return name ? { name, why } : { name: path, why: `${what} ${why}` };
}

function textIn(json: string): string {
  try {
    return String(JSON.parse(json)).trim();
  } catch {
    return "";
  }
}
