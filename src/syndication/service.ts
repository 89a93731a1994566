import type { CopyContent } from "./copy-content";
import type { Sender } from "./service-calls";
import type { Copy, CopyAccount } from "./stored-copies";

export interface RemoteReply {
  originUri: string;
  originUrl: string;
  parentUri: string;
  name: string;
  handle: string;
  host: string;
  url: string;
  html: string;
}

/** All functions may throw CallFailed. */
export interface Service {
  /** Edits change the copy only this long after it was sent. */
  editableMs: number;
  /**
   * Creates the copy, or edits an existing copy. A repeated call must not create a second copy.
   * @param hasSamePictures whether the existing copy shows the same pictures
   */
  publish(
    sender: Sender,
    account: CopyAccount,
    copy: Copy,
    content: CopyContent,
    hasSamePictures: boolean,
  ): Promise<{ remoteId: string; url: string }>;
  /** Does nothing if there is no copy. @param postUrl "" if unknown */
  remove(sender: Sender, account: CopyAccount, copy: Copy, postUrl: string): Promise<void>;
  /** Public replies, parents first. */
  replies(sender: Sender, account: CopyAccount, copy: Copy): Promise<RemoteReply[]>;
}
