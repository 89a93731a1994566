import type { Copy, CopyAccount } from "./copies";
import type { CopyContent } from "./copy-content";
import type { Sender } from "./service-calls";

export interface RemoteReply {
  originUri: string;
  originUrl: string;
  /** Id of the post that the reply answers. */
  parentUri: string;
  name: string;
  handle: string;
  /** Host of the author's account, which the owner can block. */
  host: string;
  /** The author's page. */
  url: string;
  html: string;
}

/** A service that copies are sent to. All functions throw CallFailed. */
export interface Service {
  /**
   * Creates the copy, or edits an existing one. A repeated call makes no second copy.
   * @param hasSamePictures whether the existing copy shows these pictures
   */
  publish(
    sender: Sender,
    account: CopyAccount,
    copy: Copy,
    content: CopyContent,
    hasSamePictures: boolean,
  ): Promise<{ remoteId: string; url: string }>;
  /** Deletes the copy, if there is one. @param postUrl "" if no longer known */
  remove(sender: Sender, account: CopyAccount, copy: Copy, postUrl: string): Promise<void>;
  /** Public replies, parents first. */
  replies(sender: Sender, account: CopyAccount, copy: Copy): Promise<RemoteReply[]>;
}
