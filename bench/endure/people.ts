import sharp from "sharp";
import { uploadForm } from "../../test/support/pictures";
import { stateOf } from "./contents";
import type { Run } from "./run";

/** Milliseconds. Platen rejects a form that is sent sooner. */
const WRITING_TAKES = 3100;
/** Milliseconds: limit for retries, and wait between them. */
const TRIED_FOR = 300_000;
const TRIED_AGAIN_IN = 50;
/** A feed has 30 posts, so this many newer posts do not push out a post. */
const POSTS_IN_NO_TIME = 20;
const SHORT_TEXT = 300;
const LONG_TEXT = 5000;
const BURST = 20;

interface Post {
  name: string;
  status: "published" | "draft";
  text: string;
  version: number;
  say(status: Post["status"]): Promise<unknown>;
  rewrite(text: string): Promise<unknown>;
  remove(): Promise<unknown>;
}

/** Posts whose publication was acknowledged, newest last. Some are no longer live. */
const published: string[] = [];
let publications = 0;

export function writer(run: Run, number: number) {
  const { ledger, dice } = run;
  const posts: Post[] = [];
  let count = 0;

  const text = (name: string, version: number) =>
    `${name} version ${version}.${" tea".repeat(dice.below(dice.below(10) === 0 ? LONG_TEXT : SHORT_TEXT))}`;

  const create = async () => {
    const name = `w${number}-${++count}`;
    const status = dice.pick(["published", "draft"] as const);
    const draft = { name, status, text: text(name, 1), version: 1 };
    const acknowledge = ledger.begin(`post ${name}`, stateOf(status, draft.text));
    if (status === "published") publications++;
    posts.push(await dice.pick([createByApi, createByMicropub])(run, draft));
    acknowledge();
    if (status === "published") published.push(name);
  };

  const change = async (kind: "text" | "status") => {
    const post = posts.length > 0 ? dice.pick(posts) : null;
    if (!post) return await create();
    if (kind === "status") {
      post.status = post.status === "draft" ? "published" : "draft";
      if (post.status === "published") publications++;
    } else post.text = text(post.name, ++post.version);
    const acknowledge = ledger.begin(`post ${post.name}`, stateOf(post.status, post.text));
    await (kind === "status" ? post.say(post.status) : post.rewrite(post.text));
    acknowledge();
  };

  const remove = async () => {
    if (posts.length === 0) return await create();
    const [post] = posts.splice(dice.below(posts.length), 1) as [Post];
    const acknowledge = ledger.begin(`post ${post.name}`, null);
    await post.remove();
    acknowledge();
  };

  const upload = async () => {
    const name = `w${number}-${++count}`;
    const bytes = await drawing(dice);
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const acknowledge = ledger.begin(`file ${name}.png`, hash);
    await sendUntilAnswered(run, "POST", "/api/v1/attachments", uploadForm(bytes, `${name}.png`));
    acknowledge();
  };

  const turns = [create, create, create, () => change("text"), () => change("text"), () => change("status")];
  return async () => {
    await dice.pick([...turns, upload, remove])();
    if (dice.below(BURST) === 0) await Bun.sleep(BURST * run.pace);
  };
}

async function drawing({ below }: Run["dice"]): Promise<Uint8Array<ArrayBuffer>> {
  const background = { r: below(256), g: below(256), b: below(256) };
  const create = { width: 20 + below(60), height: 20 + below(60), channels: 3 as const, background };
  return new Uint8Array(await sharp({ create }).png().toBuffer());
}

type Draft = Pick<Post, "name" | "status" | "text" | "version">;

async function createByApi(run: Run, draft: Draft): Promise<Post> {
  const send = (method: string, path: string, post?: object) =>
    sendUntilAnswered(run, method, `/api/v1/posts${path}`, post && JSON.stringify({ post }));
  const { name: title, status, text: content } = draft;
  const { post } = JSON.parse((await send("POST", "", { title, content, status })).body);
  return {
    ...draft,
    say: (status) => send("PATCH", `/${post.id}/${status === "draft" ? "unpublish" : "publish"}`),
    rewrite: (content) => send("PATCH", `/${post.id}`, { content }),
    remove: () => send("DELETE", `/${post.id}`),
  };
}

async function createByMicropub(run: Run, draft: Draft): Promise<Post> {
  const send = (body: object) => sendUntilAnswered(run, "POST", "/micropub", JSON.stringify(body));
  const { name, status, text } = draft;
  const properties = { name: [name], content: [text], "post-status": [status] };
  const { headers } = await send({ type: ["h-entry"], properties });
  const url = headers.get("location");
  const update = (replace: object) => send({ action: "update", url, replace });
  return {
    ...draft,
    say: (status) => update({ "post-status": [status] }),
    rewrite: (text) => update({ content: [text] }),
    remove: () => send({ action: "delete", url }),
  };
}

/** Each komment has a different client address because of the rate limit. */
export function kommenter(run: Run, number: number) {
  let count = 0;
  return async () => {
    const name = `k${number}-${++count}`;
    const page = await sendUntilAnswered(run, "GET", "/komments/welcome");
    const ticket = /name="ticket" value="([^"]+)"/.exec(page.body)?.[1] as string;
    await Bun.sleep(WRITING_TAKES);
    const text = `Well said, ${name}.`;
    const acknowledge = run.ledger.begin(`komment ${name}`, text);
    const form = new URLSearchParams({ name, address: "", text, ticket });
    await sendUntilAnswered(run, "POST", "/komments/welcome", form, {
      "x-forwarded-for": [10, number, count >> 8, count & 255].join("."),
    });
    acknowledge();
  };
}

export function reader(run: Run) {
  const { dice, ledger } = run;
  return async () => {
    await Bun.sleep(20 + run.pace);
    const newest = published.at(-1);
    if (!newest) return;
    const began = performance.now();
    const before = publications;
    const name = dice.pick([newest, dice.pick(published)]);
    const path = dice.pick([`/${name}`, ...(name === newest ? ["/feed.xml", "/feed.json"] : []), "/"]);
    const { status, body } = await sendUntilAnswered(run, "GET", path);
    const possible = ledger.possible(`post ${name}`, began, performance.now());
    const isLive = possible.every((state) => state?.startsWith("published"));
    run.tally.read++;
    if (path === `/${name}`) {
      const shown = possible.some((state) =>
        state?.startsWith("published") ? status === 200 && body.includes(versionIn(state)) : status === 404,
      );
      if (!shown) ledger.error(`${path} answered ${status}; it should be ${possible.join(" or ")}`);
    } else if (path !== "/" && isLive && publications - before < POSTS_IN_NO_TIME)
      if (!body.includes(`/${name}<`) && !body.includes(`/${name}"`))
        ledger.error(`${path} lacks ${name}, which is ${possible.join(" or ")}`);
  };
}

/** No other text begins with "w1-2 version 3." */
function versionIn(state: string): string {
  return /w\d+-\d+ version \d+\./.exec(state)?.[0] as string;
}

interface ReadResponse {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Repeats the request with the same Idempotency-Key until there is a response, even after restarts of the
 * server.
 * @throws Error if the request is rejected, or never answered
 */
async function sendUntilAnswered(
  { program, key }: Run,
  method: string,
  path: string,
  body?: BodyInit,
  headers = headersFor(key, body),
): Promise<ReadResponse> {
  const until = performance.now() + TRIED_FOR;
  for (let tries = 1; performance.now() < until; tries++) {
    const url = (await program.url) + path;
    const answer = await tryFetch(url, { method, headers, body, redirect: "manual" });
    if (answer && answer.status !== 503) {
      const isExpected =
        answer.status === 404 && (method === "GET" || (tries > 1 && isRemoval(method, body)));
      if (answer.status < 400 || isExpected) return answer;
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.slice(0, 500)}`);
    }
    await Bun.sleep(TRIED_AGAIN_IN);
  }
  throw new Error(`${method} ${path} was not answered`);
}

function headersFor(key: string, body?: BodyInit): Record<string, string> {
  const json: Record<string, string> = typeof body === "string" ? { "content-type": "application/json" } : {};
  return { authorization: `Bearer ${key}`, "idempotency-key": crypto.randomUUID(), ...json };
}

async function tryFetch(url: string, init: RequestInit): Promise<ReadResponse | null> {
  try {
    const answer = await fetch(url, init);
    return { status: answer.status, headers: answer.headers, body: await answer.text() };
  } catch {
    return null;
  }
}

/** Micropub ignores Idempotency-Key, so a repeated delete returns 404. */
function isRemoval(method: string, body?: BodyInit): boolean {
  return method === "DELETE" || (typeof body === "string" && body.startsWith('{"action":"delete"'));
}
