import type { TimelineQuery } from "../../posts/reading/timeline";

interface PostType {
  type: string;
  name: string;
  h: "entry";
  properties: string[];
  "required-properties": string[];
}

/** Offered with every type. */
const COMMON_PROPERTIES = ["category", "published", "post-status", "visibility", "mp-slug"];

/** What may be written, with the properties an app should offer for it. */
export const POST_TYPES: PostType[] = [
  type("note", "Note", ["content"]),
  type("article", "Article", ["name", "content"]),
  type("photo", "Photo", ["photo"], ["content"]),
  type("video", "Video", ["video"], ["content"]),
  type("reply", "Reply", ["in-reply-to", "content"]),
  type("like", "Like", ["like-of"], ["content"]),
  type("repost", "Repost", ["repost-of"], ["content"]),
  type("bookmark", "Bookmark", ["bookmark-of"], ["name", "content"]),
  type("rsvp", "RSVP", ["in-reply-to", "rsvp"], ["content"]),
  type("checkin", "Check-in", ["checkin"], ["content", "photo"]),
];

function type(name: string, label: string, required: string[], more: string[] = []): PostType {
  return {
    type: name,
    name: label,
    h: "entry",
    properties: [...required, ...more, ...COMMON_PROPERTIES],
    "required-properties": required,
  };
}

/** The property by which a type is recognised; notes and articles have none of these. */
const PROPERTY_OF_TYPE: Record<string, string> = {
  rsvp: "rsvp",
  reply: "in-reply-to",
  repost: "repost-of",
  like: "like-of",
  bookmark: "bookmark-of",
  checkin: "checkin",
  video: "video",
  photo: "photo",
};

/** Which posts of a list are of this kind; of an unknown one there are none. */
export function postTypeFilter(
  kind: string,
): Pick<TimelineQuery, "withProperty" | "withoutProperties" | "isTitled"> {
  if (kind === "note" || kind === "article")
    return { isTitled: kind === "article", withoutProperties: Object.values(PROPERTY_OF_TYPE) };
  const mark = Object.hasOwn(PROPERTY_OF_TYPE, kind) ? PROPERTY_OF_TYPE[kind] : undefined;
  return { withProperty: mark ?? "" };
}
