/** A file of the blog, as the server tells of it. */
export interface StoredFile {
  sgid: string;
  filename: string;
  contentType: string;
  mediaType: "image" | "video";
  url: string;
  /** A smaller picture of it; a video's poster. */
  thumbnail: string;
  width: number | null;
  height: number | null;
  /** What it was uploaded with; stands in for an alt text that was not given. */
  caption: string;
}

/** Those that the page may show, by signed id. */
export type StoredFiles = Map<string, StoredFile>;
