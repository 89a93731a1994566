import type { Copy, CopyAccount } from "./copies";
import type { CopyContent } from "./copy-content";
import type { Sender } from "./service-calls";

/** A reply to a copy. */
export interface RemoteReply {
  originUri: string;
  originUrl: string;
  /** Id of the post that it replies to. */
  parentUri: string;
  name: string;
  handle: string;
  /** Host that can be blocked. */
  host: string;
  /** The author's page. */
  url: string;
  html: string;
}

/** What copies need of a service. All functions throw CallFailed. */
export interface Service {
  /** Creates the copy, or edits it if it was sent. Repeating it makes no second copy. */
  publish(
    sender: Sender,
    account: CopyAccount,
    copy: Copy,
    content: CopyContent,
  ): Promise<{ remoteId: string; url: string }>;
  /** Deletes the copy, if there is one. @param postUrl "" if it is not known any more */
  remove(sender: Sender, account: CopyAccount, copy: Copy, postUrl: string): Promise<void>;
  /** Public replies, parents first. */
  replies(sender: Sender, account: CopyAccount, copy: Copy): Promise<RemoteReply[]>;
}
