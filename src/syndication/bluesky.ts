/** Bluesky's API (docs.bsky.app), on any server of the AT Protocol. */
import { MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { updateRows } from "../database/rows";
import { copyAccounts } from "../database/schema";
import { invalid } from "../errors";
import type { StoredBlob } from "../media/files/blobs";
import { livePost } from "../posts/reading/finding-posts";
import { type CopyContent, countGraphemes, cutText } from "./copy-content";
import type { RemoteReply, Sender, Service, ServiceAnswer, ServiceRequest } from "./copy-service";
import { bodyOfSuccess, callService, listIn, pictureBytes, textIn, valueIn } from "./copy-service";
import {
  DOCUMENT,
  isDocumented,
  PUBLICATION,
  publicationKey,
  publicationUri,
  standardRecords,
} from "./standard-site";
import { accountAt, type Copy, type CopyAccount } from "./stored-copies";

export const BLUESKY_SERVER = "https://bsky.social";
const POST = "app.bsky.feed.post";
const MAX_GRAPHEMES = 300;
const MAX_BYTES = 3000;
const MAX_PICTURE_BYTES = 2_000_000;
const MAX_CARD_PICTURE_BYTES = 1_000_000;
const MAX_SHOWN_URL = 60;
const MAX_REPLIES = 200;
const MAX_PASSWORD_LENGTH = 500;

export const bluesky: Service = {
  // Later edits may never reach readers, because apps cache posts.
  editableMs: 5 * MINUTE,
  async publish(sender, account, copy, whole) {
    const content = whole.warning === "" ? whole : onlyWarning(whole);
    const { text, facets } = richText(content);
    const record = {
      $type: POST,
      text,
      facets,
      createdAt: copy.createdAt.toISOString(),
      langs: [content.language],
      embed: await embedOf(sender, account, content),
    };
    const { remoteId: repo } = account;
    const { key: rkey } = copy;
    const created = await putRecord(sender, account, { repo, collection: POST, rkey, record });
    await putStandardRecords(sender, account, copy, created);
    return {
      remoteId: `at://${account.remoteId}/${POST}/${copy.key}`,
      url: `${profileUrl(account.remoteId)}/post/${copy.key}`,
    };
  },
  async remove(sender, account, copy) {
    // Deleting a record that does not exist succeeds.
    for (const collection of [POST, DOCUMENT]) {
      const json = { repo: account.remoteId, collection, rkey: copy.key };
      await xrpc(sender, account, { method: "POST", name: "com.atproto.repo.deleteRecord", json });
    }
  },
  async replies(sender, account, copy) {
    const query = new URLSearchParams({ uri: copy.remoteId, depth: "10", parentHeight: "0" });
    const name = `app.bsky.feed.getPostThread?${query}`;
    return repliesIn(valueIn(await xrpc(sender, account, { method: "GET", name }), "thread"));
  },
};

/** Bluesky has no content warnings, so the text and pictures behind a warning are left out. */
function onlyWarning({ warning, card: { title }, ...content }: CopyContent): CopyContent {
  const card = { title, description: "", picture: undefined };
  return { ...content, warning, text: `CW: ${warning}`, pictures: [], card };
}

function profileUrl(did: string): string {
  return `https://bsky.app/profile/${did}`;
}

async function putRecord(sender: Sender, account: CopyAccount, json: object): Promise<unknown> {
  return await xrpc(sender, account, { method: "POST", name: "com.atproto.repo.putRecord", json });
}

/** @param created response to the request that created the copy, with `uri` and `cid` */
async function putStandardRecords(sender: Sender, account: CopyAccount, copy: Copy, created: unknown) {
  const { platen } = sender;
  const post = livePost(platen, copy.postId);
  const site = post && publicationUri(platen, post.blog);
  const key = post && publicationKey(post.blog);
  if (!site || !key || post.title === "" || !isDocumented(key, copy)) return;
  const reference = { uri: textIn(created, "uri"), cid: textIn(created, "cid") };
  const { publication, document } = standardRecords(platen, post, site, reference);
  const { remoteId: repo } = account;
  await putRecord(sender, account, { repo, collection: PUBLICATION, rkey: key, record: publication });
  await putRecord(sender, account, { repo, collection: DOCUMENT, rkey: copy.key, record: document });
}

export function parseHandle(typed: string): string {
  const handle = typed.trim().replace(/^@/, "").toLowerCase();
  if (!/^[a-z0-9.-]{3,253}$/.test(handle) || !handle.includes("."))
    throw invalid({ bluesky: ["needs a handle like ada.bsky.social"] });
  return handle;
}

const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/;

export function parsePassword(typed: string, server: string): string {
  const password = typed.trim();
  const isWrong = server === BLUESKY_SERVER && !APP_PASSWORD.test(password);
  if (password === "" || password.length > MAX_PASSWORD_LENGTH || isWrong)
    throw invalid({
      bluesky: [
        "needs an app password like abcd-efgh-ijkl-mnop. Create one in Bluesky under Settings, Privacy and security",
      ],
    });
  return password;
}

/** `remoteId` is "" if the server runs other software. @throws CallFailed */
export async function createSession(
  sender: Sender,
  server: string,
  credentials: { identifier: string; password: string },
) {
  const url = `${server}/xrpc/com.atproto.server.createSession`;
  const body = bodyOfSuccess(await callService(sender, { method: "POST", url, json: credentials }));
  const remoteId = textIn(body, "did");
  const handle = textIn(body, "handle") || credentials.identifier;
  return {
    remoteId,
    handle,
    url: profileUrl(remoteId),
    maxCharacters: MAX_GRAPHEMES,
    session: sessionIn(body),
  };
}

function sessionIn(body: unknown) {
  return { accessJwt: textIn(body, "accessJwt"), refreshJwt: textIn(body, "refreshJwt") };
}

type XrpcRequest = Omit<ServiceRequest, "url" | "token"> & { name: string };

async function xrpc(sender: Sender, account: CopyAccount, { name, ...request }: XrpcRequest) {
  const url = `${account.server}/xrpc/${name}`;
  const attempt = async (token: string) => await callService(sender, { ...request, url, token });
  // Read again, because another delivery may have renewed the session.
  const session = accountAt(sender.platen, account.receiverId)?.session;
  const response = session && (await attempt(session.accessJwt));
  if (response && !isExpired(response)) return bodyOfSuccess(response);
  const credentials = { identifier: account.remoteId, password: account.secret };
  const renewed =
    (session && (await refresh(sender, account, session.refreshJwt))) ??
    (await createSession(sender, account.server, credentials)).session;
  keepDataVersion(sender.platen, () =>
    updateRows(sender.platen, copyAccounts, { id: account.id }, { session: renewed }),
  );
  return bodyOfSuccess(await attempt(renewed.accessJwt));
}

function isExpired({ status, body }: ServiceAnswer): boolean {
  return status === 401 || ["ExpiredToken", "InvalidToken"].includes(textIn(body, "error"));
}

async function refresh(sender: Sender, { server }: CopyAccount, token: string) {
  const url = `${server}/xrpc/com.atproto.server.refreshSession`;
  const response = await callService(sender, { method: "POST", url, token });
  return isExpired(response) ? null : sessionIn(bodyOfSuccess(response));
}

interface Facet {
  /** Positions in UTF-8 bytes. */
  index: { byteStart: number; byteEnd: number };
  features: [Feature];
}

type Feature =
  | { $type: "app.bsky.richtext.facet#link"; uri: string }
  | { $type: "app.bsky.richtext.facet#tag"; tag: string };

const WEB_ADDRESS = /https?:\/\/[^\s<>"]+/g;
const HASHTAG = /(?<=^|\s)#(?=\d*[\p{L}_])([\p{L}\p{M}\p{N}_]{1,64})(?![\p{L}\p{M}\p{N}_])/gu;

function richText({ text, url }: CopyContent): { text: string; facets: Facet[] } {
  const shown = shownUrl(url);
  const withUrl = (body: string) => (body === "" ? shown : `${body}\n\n${shown}`);
  const body = cutText(text.trim(), (cut) => fits(withUrl(cut)));
  const links = [...body.matchAll(WEB_ADDRESS)].flatMap(({ 0: found, index }) => {
    const uri = withoutPunctuation(found);
    return URL.canParse(uri) && !found.includes("…") ? [facet(body, index, uri, link(uri))] : [];
  });
  const tags = [...body.matchAll(HASHTAG)].map(({ 0: found, 1: tag = "", index }) =>
    facet(body, index, found, { $type: "app.bsky.richtext.facet#tag", tag }),
  );
  const start = withUrl(body).length - shown.length;
  return { text: withUrl(body), facets: [...links, ...tags, facet(withUrl(body), start, shown, link(url))] };
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_BYTES && countGraphemes(text) <= MAX_GRAPHEMES;
}

function shownUrl(url: string): string {
  const { host, pathname } = new URL(url);
  const shown = host + pathname;
  return shown.length > MAX_SHOWN_URL ? `${shown.slice(0, MAX_SHOWN_URL - 1)}…` : shown;
}

function withoutPunctuation(address: string): string {
  let end = address.length;
  while (end > 0 && ".,;:!?)'".includes(address[end - 1] as string)) end--;
  return address.slice(0, end);
}

function link(uri: string): Feature {
  return { $type: "app.bsky.richtext.facet#link", uri };
}

function facet(text: string, start: number, shown: string, feature: Feature): Facet {
  const byteStart = Buffer.byteLength(text.slice(0, start));
  const byteEnd = byteStart + Buffer.byteLength(shown);
  return { index: { byteStart, byteEnd }, features: [feature] };
}

async function embedOf(sender: Sender, account: CopyAccount, { pictures, card, url: uri }: CopyContent) {
  if (pictures.length === 0) {
    const { picture, title, description } = card;
    const thumb = picture && (await uploadBlob(sender, account, picture, MAX_CARD_PICTURE_BYTES));
    return { $type: "app.bsky.embed.external", external: { uri, title, description, thumb } };
  }
  const images: object[] = [];
  for (const { blob, alt } of pictures) {
    const image = await uploadBlob(sender, account, blob, MAX_PICTURE_BYTES);
    const { width, height } = blob;
    images.push({ image, alt, ...(width && height && { aspectRatio: { width, height } }) });
  }
  return { $type: "app.bsky.embed.images", images };
}

async function uploadBlob(sender: Sender, account: CopyAccount, picture: StoredBlob, maxBytes: number) {
  const { bytes: body, type } = await pictureBytes(sender.platen, picture, maxBytes);
  const headers = { "content-type": type };
  const request = { method: "POST", name: "com.atproto.repo.uploadBlob", body, headers } as const;
  return valueIn(await xrpc(sender, account, request), "blob");
}

function repliesIn(thread: unknown): RemoteReply[] {
  const found: RemoteReply[] = [];
  const nodes = listIn(thread, "replies").slice(0, MAX_REPLIES);
  // The loop appends to the array that it iterates, so it visits the whole tree.
  for (const node of nodes) {
    const reply = replyOf(valueIn(node, "post"));
    if (reply) found.push(reply);
    nodes.push(...listIn(node, "replies").slice(0, MAX_REPLIES - nodes.length));
  }
  return found;
}

/** People with this label want to be visible only to signed-in users of Bluesky. */
const NOT_PUBLIC = "!no-unauthenticated";

function replyOf(post: unknown): RemoteReply | null {
  const author = valueIn(post, "author");
  const [uri, did, handle] = [textIn(post, "uri"), textIn(author, "did"), textIn(author, "handle")];
  const isPrivate = listIn(author, "labels").some((label) => textIn(label, "val") === NOT_PUBLIC);
  const isPost = /^at:\/\/[^/\s]{1,300}\/app\.bsky\.feed\.post\/[\w.~-]{1,300}$/.test(uri);
  if (isPrivate || !isPost || !did.startsWith("did:")) return null;
  const profile = profileUrl(did);
  return {
    originUri: uri,
    originUrl: `${profile}/post/${uri.slice(uri.lastIndexOf("/") + 1)}`,
    parentUri: textIn(post, "record", "reply", "parent", "uri"),
    name: textIn(author, "displayName") || handle,
    handle: `@${handle}`,
    host: handle,
    url: profile,
    html: htmlOf(textIn(post, "record", "text"), listIn(post, "record", "facets")),
  };
}

/** A link that overlaps an earlier one, and facets other than links, stay text. */
function htmlOf(text: string, facets: unknown[]): string {
  const bytes = Buffer.from(text);
  const links = facets
    .flatMap((facet) => {
      const [start, end] = ["byteStart", "byteEnd"].map((name) => Number(valueIn(facet, "index", name)));
      const uri = listIn(facet, "features")
        .map((feature) => textIn(feature, "uri"))
        .find((one) => /^https?:\/\//.test(one));
      return uri && start !== undefined && end !== undefined && start < end ? [{ start, end, uri }] : [];
    })
    .sort((one, other) => one.start - other.start);
  let html = "";
  let done = 0;
  const escaped = (from: number, to: number) => Bun.escapeHTML(bytes.subarray(from, to).toString());
  for (const { start, end, uri } of links)
    if (start >= done) {
      html += `${escaped(done, start)}<a href="${Bun.escapeHTML(uri)}">${escaped(start, end)}</a>`;
      done = end;
    }
  html += escaped(done, bytes.length);
  return html
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll("\n", "<br>")}</p>`)
    .join("");
}
