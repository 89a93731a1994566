import type { Account } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { countKomments } from "../../komments/komment-list";
import { countMessages } from "../../messages/message-list";
import type { Platen } from "../../platen";
import type { IconName } from "./icons";

export interface Place {
  label: string;
  icon: IconName;
  /** Path relative to /admin/blogs/{slug}. */
  path: string;
  /** Name of the parent entry. The menu shows this entry below its parent while one of the two is open. */
  isWithin?: string;
  /** True if the phone's bottom bar also shows this entry. The bar has room for three. */
  isInBar?: boolean;
  /** Number of items that need the owner's attention. It must be fast, because every page shows it. */
  waiting?: (platen: Platen, blog: Blog) => number;
}

/** A blog's menu entries in order. */
const PLACES = {
  dashboard: { label: "Home", icon: "home", path: "", isInBar: true },
  posts: { label: "Posts", icon: "posts", path: "/posts", isInBar: true },
  pages: { label: "Pages", icon: "pages", path: "/pages", isWithin: "posts" },
  media: { label: "Media", icon: "media", path: "/media" },
  komments: {
    label: "Komments",
    icon: "komments",
    path: "/komments",
    isInBar: true,
    waiting: (platen, blog) => countKomments(platen, blog, "waiting"),
  },
  messages: {
    label: "Messages",
    icon: "messages",
    path: "/messages",
    isWithin: "komments",
    waiting: (platen, blog) => countMessages(platen, blog, "waiting"),
  },
  topics: { label: "Topics", icon: "topics", path: "/topics", isWithin: "posts" },
  reach: { label: "Reach", icon: "reach", path: "/reach" },
  webhooks: { label: "Webhooks", icon: "webhooks", path: "/webhooks", isWithin: "settings" },
  transfer: { label: "Import and export", icon: "transfer", path: "/transfer", isWithin: "settings" },
  settings: { label: "Settings", icon: "settings", path: "/settings" },
} as const satisfies Record<string, Place>;

/** A menu entry for the account or the whole instance. */
interface OwnPlace extends Pick<Place, "label" | "icon" | "path" | "isWithin"> {
  path: `/admin/${string}`;
  /** True if only admins see this entry. The routes check this too. */
  isForAdmins?: boolean;
}

const OWN_PLACES = {
  account: { label: "Your account", icon: "person", path: "/admin/account" },
  keys: { label: "API settings", icon: "key", path: "/admin/keys", isWithin: "account" },
  apps: { label: "Apps", icon: "apps", path: "/admin/apps", isWithin: "account" },
  people: {
    label: "People",
    icon: "people",
    path: "/admin/people",
    isForAdmins: true,
    isWithin: "about",
  },
  jobs: { label: "Jobs", icon: "jobs", path: "/admin/jobs", isWithin: "about" },
  backups: {
    label: "Backups",
    icon: "backups",
    path: "/admin/backups",
    isForAdmins: true,
    isWithin: "about",
  },
  mail: { label: "Mail", icon: "messages", path: "/admin/mail", isForAdmins: true, isWithin: "about" },
  about: { label: "About", icon: "about", path: "/admin/about", isForAdmins: true },
} as const satisfies Record<string, OwnPlace>;

export type Named<One> = [name: PlaceName, place: One];

export function blogPlaces(): Named<Place>[] {
  return Object.entries(PLACES) as Named<Place>[];
}

/** Menu entries that the account may use. */
export function ownPlacesOf({ isAdmin }: Pick<Account, "isAdmin">): Named<OwnPlace>[] {
  const places = Object.entries(OWN_PLACES) as Named<OwnPlace>[];
  return places.filter(([, { isForAdmins }]) => isAdmin || !isForAdmins);
}

/** Entries without a parent in the list. */
export function topLevelPlaces<One extends Pick<Place, "isWithin">>(places: Named<One>[]): Named<One>[] {
  return places.filter(([, { isWithin }]) => !places.some(([name]) => name === isWithin));
}

/** The child entries of an entry. */
export function childPlaces<One extends Pick<Place, "isWithin">>(
  places: Named<One>[],
  name: PlaceName,
): Named<One>[] {
  return places.filter(([, { isWithin }]) => isWithin === name);
}

export type PlaceName = keyof typeof PLACES | keyof typeof OWN_PLACES;

/** @param path such as "/posts"; "" for the dashboard */
export function blogPath({ slug }: Pick<Blog, "slug">, path = ""): string {
  return `/admin/blogs/${slug}${path}`;
}
