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
