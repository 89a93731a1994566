/** Mastodon's API (docs.joinmastodon.org), which GoToSocial, Pleroma and others also implement. */
import { MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { updateRows } from "../database/rows";
import { copies } from "../database/schema";
import { parseWebUrl } from "../text/web-urls";
import { type CopyContent, type CopyPicture, countGraphemes, cutText } from "./copy-content";
import {
  bodyOfSuccess,
  CallFailed,
  callService,
  listIn,
  pictureBytes,
  type RemoteReply,
  type Sender,
  type Service,
  type ServiceRequest,
  textIn,
  valueIn,
} from "./copy-service";
import type { Copy, CopyAccount } from "./stored-copies";

/** Mastodon remembers an Idempotency-Key for an hour. */
const KEY_VALID_MS = 50 * MINUTE;
/** Mastodon counts any URL as this many characters. */
const URL_CHARACTERS = 23;
const DEFAULT_MAX_CHARACTERS = 500;
const MAX_PICTURE_BYTES = 8_000_000;
const MAX_REPLIES = 200;

export const mastodon: Service = {
  editableMs: Number.POSITIVE_INFINITY,
  async publish(sender, account, copy, content, hasSamePictures) {
    if (copy.remoteId === "" && isKeyExpired(sender, copy)) {
      const arrived = await findStatus(sender, account, content.url);
      if (arrived) return arrived;
    }
    const { pictures } = content;
    const mediaIds =
      hasSamePictures && pictures.length > 0
        ? await knownPictures(sender, account, copy)
        : await Array.fromAsync(pictures, (picture) => uploadPicture(sender, account, picture));
    const json = statusOf(account, content, mediaIds);
    if (copy.remoteId !== "")
      return statusIn(await call(sender, account, "PUT", `statuses/${copy.remoteId}`, { json }));
    markTried(sender, copy);
    const headers = { "idempotency-key": copy.key };
    return statusIn(await call(sender, account, "POST", "statuses", { json, headers }));
  },
  async remove(sender, account, copy, postUrl) {
    const existing = copy.remoteId === "" && copy.triedAt ? await findStatus(sender, account, postUrl) : copy;
    if (!existing || existing.remoteId === "") return;
    await call(sender, account, "DELETE", `statuses/${existing.remoteId}`).catch((error) => {
      const isGone = error instanceof CallFailed && error.outcome.status === 404;
      if (!isGone) throw error;
    });
  },
  async replies(sender, account, copy) {
    const context = await call(sender, account, "GET", `statuses/${copy.remoteId}/context`);
    const statuses = listIn(context, "descendants").slice(0, MAX_REPLIES);
    const uris = new Map(statuses.map((status) => [textIn(status, "id"), textIn(status, "uri")]));
    const { host } = new URL(account.server);
    return statuses.map((status) => replyOf(status, uris, host)).filter((reply) => reply !== null);
  },
};

/** @param path below /api/v1/ */
async function call(
  sender: Sender,
  { server, secret: token }: Pick<CopyAccount, "server" | "secret">,
  method: ServiceRequest["method"],
  path: string,
  more: Pick<ServiceRequest, "json" | "headers"> = {},
): Promise<unknown> {
  return bodyOfSuccess(
    await callService(sender, { method, url: `${server}/api/v1/${path}`, token, ...more }),
  );
}

/** `remoteId` is "" if the server runs other software. @throws CallFailed */
export async function verifyToken(sender: Sender, server: string, secret: string) {
  const account = await call(sender, { server, secret }, "GET", "accounts/verify_credentials");
  const name = textIn(account, "username");
  const max = (await maxCharacters(sender, server, "v2")) ?? (await maxCharacters(sender, server, "v1"));
  return {
    remoteId: textIn(account, "id"),
    handle: `@${name}@${new URL(server).host}`,
    url: webAddress(textIn(account, "url")) ?? `${server}/@${name}`,
    maxCharacters: max ?? DEFAULT_MAX_CHARACTERS,
  };
}

async function maxCharacters(sender: Sender, server: string, version: "v1" | "v2"): Promise<number | null> {
  const { body } = await callService(sender, { method: "GET", url: `${server}/api/${version}/instance` });
  const max = valueIn(body, "configuration", "statuses", "max_characters") ?? valueIn(body, "max_toot_chars");
  return typeof max === "number" && Number.isSafeInteger(max) && max > URL_CHARACTERS ? max : null;
}

function isKeyExpired({ platen }: Pick<Sender, "platen">, { triedAt }: Copy): boolean {
  return triedAt !== null && platen.now().getTime() - triedAt.getTime() > KEY_VALID_MS;
}

/** Called before sending, so that a crash leaves a trace of the attempt. */
function markTried({ platen }: Sender, copy: Copy): void {
  if (copy.triedAt && !isKeyExpired({ platen }, copy)) return;
  keepDataVersion(platen, () => updateRows(platen, copies, { id: copy.id }, { triedAt: platen.now() }));
}

async function findStatus(sender: Sender, account: CopyAccount, url: string) {
  if (url === "") return null;
  const path = `accounts/${account.remoteId}/statuses?limit=20&exclude_reblogs=true`;
  const newest = await call(sender, account, "GET", path);
  const link = `href="${Bun.escapeHTML(url)}"`;
  const found = (Array.isArray(newest) ? newest : []).find((one) => textIn(one, "content").includes(link));
  return found === undefined ? null : statusIn(found);
}

function statusIn(body: unknown) {
  const remoteId = textIn(body, "id");
  const url = webAddress(textIn(body, "url") || textIn(body, "uri"));
  if (/^[\w-]{1,100}$/.test(remoteId) && url !== null) return { remoteId, url };
  throw new CallFailed({ failure: "The Mastodon server did not return a post. Check the server's address." });
}

/** An edit without the ids of the pictures would remove the pictures. */
async function knownPictures(sender: Sender, account: CopyAccount, { remoteId }: Copy): Promise<string[]> {
  const status = await call(sender, account, "GET", `statuses/${remoteId}`);
  return listIn(status, "media_attachments").map((picture) => textIn(picture, "id"));
}

function statusOf({ maxCharacters }: CopyAccount, content: CopyContent, mediaIds: string[]) {
  return {
    status: statusText(content, maxCharacters),
    media_ids: mediaIds,
    language: content.language.split("-")[0],
    ...(content.warning !== "" && { spoiler_text: content.warning, sensitive: true }),
  };
}

function statusText({ text, url, warning }: CopyContent, max: number): string {
  const room = max - countGraphemes(warning) - URL_CHARACTERS - "\n\n".length;
  const body = cutText(text.trim(), (cut) => countCharacters(cut) <= room);
  return body === "" ? url : `${body}\n\n${url}`;
}

/** Counts short URLs as URL_CHARACTERS, and longer URLs in full, to be safe. */
function countCharacters(text: string): number {
  return countGraphemes(text.replace(/https?:\/\/\S+/g, (url) => url.padEnd(URL_CHARACTERS, "x")));
}

async function uploadPicture(sender: Sender, account: CopyAccount, { blob, alt }: CopyPicture) {
  const { bytes, type } = await pictureBytes(sender.platen, blob, MAX_PICTURE_BYTES);
  const form = new FormData();
  form.set("file", new Blob([bytes], { type }), blob.filename);
  form.set("description", alt);
  const encoded = new Response(form);
  const response = await callService(sender, {
    method: "POST",
    url: `${account.server}/api/v2/media`,
    token: account.secret,
    headers: { "content-type": encoded.headers.get("content-type") as string },
    body: await encoded.bytes(),
  });
  const id = textIn(bodyOfSuccess(response), "id");
  // 202: Mastodon would reject the status until the picture is processed.
  if (response.status === 202) throw new CallFailed({ failure: "Mastodon is still processing the picture." });
  return id;
}

function replyOf(status: unknown, uris: Map<string, string>, host: string): RemoteReply | null {
  const [uri, acct] = [textIn(status, "uri"), textIn(status, "account", "acct")];
  const url = webAddress(textIn(status, "account", "url"));
  const isPublic = ["public", "unlisted"].includes(textIn(status, "visibility"));
  if (!isPublic || webAddress(uri) === null || url === null) return null;
  return {
    originUri: uri,
    originUrl: webAddress(textIn(status, "url")) ?? uri,
    parentUri: uris.get(textIn(status, "in_reply_to_id")) ?? "",
    name: textIn(status, "account", "display_name") || textIn(status, "account", "username"),
    handle: acct.includes("@") ? `@${acct}` : `@${acct}@${host}`,
    host: new URL(url).host,
    url,
    html: textIn(status, "content"),
  };
}

const MAX_URL_LENGTH = 500;

function webAddress(text: string): string | null {
  return parseWebUrl(text, { most: MAX_URL_LENGTH })?.href ?? null;
}
