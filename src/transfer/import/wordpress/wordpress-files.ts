/** What is known of a file that was uploaded to a WordPress. */
export interface WordpressFile {
  id: string;
  address: string;
  title: string;
  alt: string;
  caption: string;
  /** The post it was uploaded to. */
  parent: string;
}

export interface WordpressFiles {
  withId(id: string): WordpressFile | undefined;
  /** In the order of the export. */
  uploadedTo(post: string): WordpressFile[];
  /** The whole picture that this is a smaller size of. */
  wholeOf(address: string): WordpressFile | undefined;
  /** What a block says that is used in several posts. */
  blockWithId(id: string): string | undefined;
}
