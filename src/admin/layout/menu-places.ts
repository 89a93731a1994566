import type { Account } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { countKomments } from "../../komments/komment-list";
import { countMessages } from "../../messages/message-list";
import type { Platen } from "../../platen";
import type { IconName } from "./icons";

export interface Place {
  name: string;
  label: string;
  icon: IconName;
  path: string;
  keys: string;
  /** Name of the parent entry. */
  isWithin?: string;
  /** Set if the bottom bar on phones also shows this entry. The bar has room for three. */
  isInBar?: boolean;
  /** Only hides the entry from other people. The routes check access. */
  isForAdmins?: boolean;
  /** Number of items that need the owner's attention. Must be fast, because every page shows the number. */
  waiting?: (platen: Platen, blog: Blog) => number;
}

const countPendingKomments = (platen: Platen, blog: Blog) => countKomments(platen, blog, "waiting");
const countUnreadMessages = (platen: Platen, blog: Blog) => countMessages(platen, blog, "waiting");

const BLOG_PLACES = [
  { name: "dashboard", label: "Home", icon: "home", path: "", keys: "g h", isInBar: true },
  { name: "posts", label: "Posts", icon: "posts", path: "/posts", keys: "g p", isInBar: true },
  { name: "pages", label: "Pages", icon: "pages", path: "/pages", keys: "g a", isWithin: "posts" },
  { name: "media", label: "Media", icon: "media", path: "/media", keys: "g m" },
  {
    name: "komments",
    label: "Komments",
    icon: "komments",
    path: "/komments",
    keys: "g k",
    isInBar: true,
    waiting: countPendingKomments,
  },
  {
    name: "messages",
    label: "Messages",
    icon: "messages",
    path: "/messages",
    keys: "g i",
    isWithin: "komments",
    waiting: countUnreadMessages,
  },
  { name: "topics", label: "Topics", icon: "topics", path: "/topics", keys: "g c", isWithin: "posts" },
  { name: "reach", label: "Reach", icon: "reach", path: "/reach", keys: "g r" },
  {
    name: "webhooks",
    label: "Webhooks",
    icon: "webhooks",
    path: "/webhooks",
    keys: "g w",
    isWithin: "settings",
  },
  {
    name: "transfer",
    label: "Import and export",
    icon: "transfer",
    path: "/transfer",
    keys: "g x",
    isWithin: "settings",
  },
  { name: "settings", label: "Settings", icon: "settings", path: "/settings", keys: "g s" },
] as const satisfies Place[];

const OWN_PLACES = [
  { name: "account", label: "Your account", icon: "person", path: "/admin/account", keys: "g u" },
  { name: "keys", label: "API settings", icon: "key", path: "/admin/keys", keys: "g y", isWithin: "account" },
  { name: "apps", label: "Apps", icon: "apps", path: "/admin/apps", keys: "g e", isWithin: "account" },
  {
    name: "people",
    label: "People",
    icon: "people",
    path: "/admin/people",
    keys: "g o",
    isForAdmins: true,
    isWithin: "about",
  },
  { name: "jobs", label: "Jobs", icon: "jobs", path: "/admin/jobs", keys: "g j", isWithin: "about" },
  {
    name: "backups",
    label: "Backups",
    icon: "backups",
    path: "/admin/backups",
    keys: "g b",
    isForAdmins: true,
    isWithin: "about",
  },
  {
    name: "mail",
    label: "Mail",
    icon: "messages",
    path: "/admin/mail",
    keys: "g l",
    isForAdmins: true,
    isWithin: "about",
  },
  { name: "about", label: "About", icon: "about", path: "/admin/about", keys: "g t", isForAdmins: true },
] as const satisfies Place[];

export type PlaceName = (typeof BLOG_PLACES | typeof OWN_PLACES)[number]["name"];

export function blogPlaces(blog: Blog): Place[] {
  return BLOG_PLACES.map((place) => ({ ...place, path: blogPath(blog, place.path) }));
}

export function ownPlaces({ isAdmin }: Account): Place[] {
  return OWN_PLACES.filter((place: Place) => isAdmin || !place.isForAdmins);
}

export function blogPath({ slug }: Pick<Blog, "slug">, path = ""): string {
  return `/admin/blogs/${slug}${path}`;
}
