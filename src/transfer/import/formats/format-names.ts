/** As they are typed, in the order in which they are tried where nobody says which it is: the one that is told most surely first. */
export const FORMAT_NAMES = [
  "platen",
  "wordpress",
  "ghost",
  "bar",
  "substack",
  "medium",
  "bear",
  "pagecord",
  "feed",
  "markdown",
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
