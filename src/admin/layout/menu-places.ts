import type { Account } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { countKomments } from "../../komments/komment-list";
import { countMessages } from "../../messages/message-list";
import type { Platen } from "../../platen";
import type { IconName } from "./line-icons";

/** A place of the admin, as the rail leads to it. */
export interface Place {
  label: string;
  icon: IconName;
  /** Below /admin/blogs/{slug}. */
  path: string;
  /** Not in the rail: the page of that place leads there. */
  isWithin?: string;
  /** Also in the bar at the bottom of a phone, which has room for three. */
  isInBar?: boolean;
  /** How much there waits for the owner: asked on every page. */
  waiting?: (platen: Platen, blog: Blog) => number;
}

/** Of each blog, in the order in which the rail shows them. */
const PLACES = {
  dashboard: { label: "Home", icon: "home", path: "", isInBar: true },
  posts: { label: "Posts", icon: "posts", path: "/posts", isInBar: true },
  pages: { label: "Pages", icon: "pages", path: "/pages", isInBar: true },
  media: { label: "Media", icon: "media", path: "/media" },
  komments: {
    label: "Komments",
    icon: "komments",
    path: "/komments",
    waiting: (platen, blog) => countKomments(platen, blog, "waiting"),
  },
  messages: {
    label: "Messages",
    icon: "messages",
    path: "/messages",
    waiting: (platen, blog) => countMessages(platen, blog, "waiting"),
  },
  topics: { label: "Topics", icon: "topics", path: "/topics" },
  webhooks: { label: "Webhooks", icon: "webhooks", path: "/webhooks" },
  transfer: { label: "Transfer", icon: "transfer", path: "/transfer", isWithin: "settings" },
  settings: { label: "Settings", icon: "settings", path: "/settings" },
} as const satisfies Record<string, Place>;

/** A place beside the blogs: of whoever is signed in, or of the whole instance. */
interface OwnPlace extends Pick<Place, "label" | "icon" | "path" | "isWithin"> {
  /** The whole address. */
  path: `/admin/${string}`;
  /** The instance's: admins only are led there (the routes ask too, see `forAdmins`). */
  isForAdmins?: boolean;
}

/** Below the blog's in the rail, in this order. */
const OWN_PLACES = {
  apps: { label: "Apps", icon: "apps", path: "/admin/apps", isWithin: "keys" },
  keys: { label: "API settings", icon: "key", path: "/admin/keys" },
  account: { label: "Your account", icon: "person", path: "/admin/account" },
  people: { label: "People", icon: "people", path: "/admin/people", isForAdmins: true },
  jobs: { label: "Jobs", icon: "jobs", path: "/admin/jobs", isWithin: "about" },
  backups: {
    label: "Backups",
    icon: "backups",
    path: "/admin/backups",
    isForAdmins: true,
    isWithin: "about",
  },
  about: { label: "About", icon: "about", path: "/admin/about", isForAdmins: true },
} as const satisfies Record<string, OwnPlace>;

type Named<One> = [name: PlaceName, place: One];

export function blogPlaces(): Named<Place>[] {
  return Object.entries(PLACES) as Named<Place>[];
}

/** Those that the account may go to. */
export function ownPlacesOf({ isAdmin }: Pick<Account, "isAdmin">): Named<OwnPlace>[] {
  const places = Object.entries(OWN_PLACES) as Named<OwnPlace>[];
  return places.filter(([, { isForAdmins }]) => isAdmin || !isForAdmins);
}

/** All but what is within another of them. */
export function inRail<One extends Pick<Place, "isWithin">>(places: Named<One>[]): Named<One>[] {
  return places.filter(([, { isWithin }]) => !places.some(([name]) => name === isWithin));
}

/** @param place that the page is of */
export function isHere(
  places: Named<Pick<Place, "isWithin">>[],
  name: PlaceName,
  place?: PlaceName,
): boolean {
  return place === name || places.some(([one, { isWithin }]) => one === place && isWithin === name);
}

export type PlaceName = keyof typeof PLACES | keyof typeof OWN_PLACES;

/** @param path "/posts", or "" for its dashboard */
export function blogPath({ slug }: Pick<Blog, "slug">, path = ""): string {
  return `/admin/blogs/${slug}${path}`;
}
