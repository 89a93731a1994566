import { type Blog, blogOfRow, changeReach, recordSettingsChange } from "../blogs/blogs";
import { deleteRows, insertRow } from "../database/rows";
import { copyAccounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { changeReceiver, ensureReceiver, removeReceiver, TURNED_ON } from "../deliveries/receivers";
import { invalid } from "../errors";
import { guardedClient } from "../outgoing/guarded-client";
import type { Platen } from "../platen";
import { parseWebUrl } from "../text/web-urls";
import { BLUESKY_SERVER, createSession, parseHandle, parsePassword } from "./bluesky";
import { CallFailed, NOT_ALLOWED, type Sender } from "./copy-service";
import { verifyToken } from "./mastodon";
import type { CopyAccount, ServiceName } from "./stored-copies";
import { copyAccount, copySettings, newRecordKey, SERVICE_LABELS } from "./stored-copies";

const MAX_URL_LENGTH = 500;

/** `server` may be any server of the AT Protocol; "" means Bluesky. */
export async function connectBluesky(
  platen: Platen,
  blog: Blog,
  { handle, server, password }: { handle: string; server: string; password: string },
): Promise<CopyAccount> {
  const origin = parseServer("bluesky", server.trim() || BLUESKY_SERVER);
  const identifier = parseHandle(handle);
  const secret = parsePassword(password, origin);
  return await connect(platen, blog, { service: "bluesky", server: origin, secret }, (sender) =>
    createSession(sender, origin, { identifier, password: secret }),
  );
}

export async function connectMastodon(platen: Platen, blog: Blog, typed: { server: string; token: string }) {
  const server = parseServer("mastodon", typed.server.trim());
  const secret = typed.token.trim();
  if (!/^[\w.~+/=-]{1,500}$/.test(secret)) throw invalid({ mastodon: ["needs an access token"] });
  return await connect(platen, blog, { service: "mastodon", server, secret }, (sender) =>
    verifyToken(sender, server, secret),
  );
}

function parseServer(field: ServiceName, text: string): string {
  const url = parseWebUrl(text.includes("://") ? text : `https://${text}`, { most: MAX_URL_LENGTH });
  if (url?.username !== "")
    throw invalid({ [field]: ["needs the server's address, like https://social.example"] });
  return url.origin;
}

type Known = Pick<CopyAccount, "remoteId" | "handle" | "maxCharacters"> & {
  url: string;
  session?: CopyAccount["session"];
};

async function connect(
  platen: Platen,
  { id: blogId }: Blog,
  typed: Pick<CopyAccount, "service" | "server" | "secret">,
  ask: (sender: Sender) => Promise<Known>,
): Promise<CopyAccount> {
  const { service } = typed;
  const refusal = (message: string) => invalid({ [service]: [message] });
  const { url, ...known } = await ask({ platen, outgoing: guardedClient(platen.config), blogId }).catch(
    (error) => {
      if (!(error instanceof CallFailed)) throw error;
      const { status, failure } = error.outcome;
      if (!status) throw refusal(`cannot be reached: ${failure}`);
      if (!NOT_ALLOWED.includes(status)) throw refusal(`cannot be connected. ${failure}`);
      throw refusal(`did not accept the ${SECRETS[service]}. Check it and try again`);
    },
  );
  if (known.remoteId === "")
    throw refusal("cannot be connected: the address belongs to another kind of server");
  return inTransaction(platen, () => {
    const blog = blogOfRow(platen, { blogId });
    const before = copyAccount(platen, blog, service);
    const receiver = ensureReceiver(platen, { channel: service, blogId, url });
    if (before) forget(platen, before, receiver.id);
    // Also sends copies that were queued while the account was disabled.
    changeReceiver(platen, receiver.id, TURNED_ON);
    const row = { ...typed, ...known, blogId, receiverId: receiver.id, createdAt: platen.now() };
    changeReach(platen, blogId, { [service]: { ...copySettings(blog, service), isDefault: true } });
    recordSettingsChange(platen, blog, `copies on ${SERVICE_LABELS[service]} on`);
    return insertRow(platen, copyAccounts, row);
  });
}

const SECRETS: Record<ServiceName, string> = { bluesky: "handle or app password", mastodon: "token" };

function forget(platen: Platen, { id, receiverId }: CopyAccount, keptReceiverId?: number): void {
  if (receiverId !== keptReceiverId) removeReceiver(platen, receiverId, platen.now());
  deleteRows(platen, copyAccounts, { id });
}

/** @param hasRecords whether new posts get standard.site records on Bluesky */
export function changeCopySettings(
  platen: Platen,
  { id }: Blog,
  service: ServiceName,
  { isDefault, hasRecords }: { isDefault: boolean; hasRecords: boolean },
): void {
  inTransaction(platen, () => {
    const blog = blogOfRow(platen, { blogId: id });
    const before = copySettings(blog, service);
    if (!before) return;
    const publication = before.publication ?? newRecordKey(platen.now());
    changeReach(platen, id, { [service]: { isDefault, ...(hasRecords && { publication }) } });
  });
}

/** The copies stay on the service. */
export function disconnectCopies(platen: Platen, { id }: Blog, service: ServiceName): void {
  inTransaction(platen, () => {
    const blog = blogOfRow(platen, { blogId: id });
    const account = copyAccount(platen, blog, service);
    if (account) forget(platen, account);
    changeReach(platen, id, { [service]: undefined });
    recordSettingsChange(platen, blog, `copies on ${SERVICE_LABELS[service]} off`);
  });
}
