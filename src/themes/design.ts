/** Design choices of a blog. Missing fields follow the theme. */
export interface Design {
  /** Posts show their reading time. */
  readingTime?: boolean;
  /** Posts end with links to posts that share tags. */
  related?: boolean;
}
