import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { PROXY_ECHO_PATH } from "../../src/upkeep/doctor-address-checks";
import { firstBox } from "../media/samples";
import { uploadForm } from "../support/pictures";
import { freshFolder, type RunningServer, runPlaten, startServer } from "../support/program";
import { temporaryFolder } from "../support/temporary";
import { waitFor } from "../support/waiting";
import {
  caddy,
  caddyOnDemand,
  codeBlock,
  haproxy,
  nginx,
  nginxCache,
  nginxPages,
  type WebServer,
  type WebServerKind,
} from "../support/web-servers";

/** The maximum size of a video, which requests may announce. */
const MAX_VIDEO_BYTES = 250 * 1024 * 1024;
/** A video larger than any buffer of the web servers, and its last bytes. */
const VIDEO_BYTES = 30 * 1024 * 1024;
const LAST_WORDS = Buffer.from("the end of the film");

/**
 * An address of this machine that is not loopback, so that it counts as a reader and not as a proxy. Requests to
 * this address come from it.
 */
const own = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

const temporary = temporaryFolder("proxies");
/** A Platen with a home blog, Ann's Blog, and another blog with a custom domain. */
const made = freshFolder();
/** An upload form with the video. */
const form = join(temporary, "form");
const BOUNDARY = "between-parts";
let key: string;

beforeAll(async () => {
  const setUp = await runPlaten(["setup", "--email", "ann@example.com", "--title", "Ann", "--data", made]);
  key = setUp.stdout.trim();
  const second = "blog add --account ann@example.com --title Second --domain another-blog.example.org --data";
  expect((await runPlaten([...second.split(" "), made])).code).toBe(0);
  const disposition = 'form-data; name="attachment[file]"; filename="film.mp4"';
  const head = `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\nContent-Type: video/mp4\r\n\r\n`;
  writeFileSync(form, Buffer.concat([Buffer.from(head), firstBox("isom", ["mp42"])]));
  // A sparse file, which uses no disk space.
  truncateSync(form, head.length + VIDEO_BYTES - LAST_WORDS.length);
  writeFileSync(form, `${LAST_WORDS}\r\n--${BOUNDARY}--\r\n`, { flag: "a" });
});

describe.each([caddy, nginx, haproxy])("$name in front, as documented", (kind) => {
  const at = startInFront(kind);
  const behindIt = test.skipIf(!kind.isHere);

  behindIt("each domain shows its blog, with https URLs of that domain", async () => {
    for (const [domain, title] of [
      ["blog.example.com", "Ann"],
      ["another-blog.example.org", "Second"],
    ] as const) {
      const page = await (await at.ask("/", domain)).text();
      expect(page).toContain(`<title>${title}`);
      expect(page).toContain(`<link rel="canonical" href="https://${domain}/">`);
    }
  });

  behindIt("passes on the API key, and permalinks are public", async () => {
    const post = (blog: string, headers = {}) =>
      at.ask(`/api/v1/posts?blog_id=${blog}`, "blog.example.com", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ post: { title: "Hello", status: "published" } }),
      });
    expect((await post("1")).status).toBe(401);
    for (const [blog, permalink] of [
      ["1", "https://blog.example.com/hello"],
      ["2", "https://another-blog.example.org/hello"],
    ] as const) {
      const answer = await post(blog, { authorization: `Bearer ${key}` });
      expect(answer.status).toBe(201);
      expect(((await answer.json()) as { post: { url: string } }).post.url).toBe(permalink);
      expect((await at.ask("/hello", new URL(permalink).host)).status).toBe(200);
    }
  });

  behindIt("uploads a video, and serves ranges", async () => {
    const answer = await at.ask("/api/v1/attachments", "blog.example.com", {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      },
      body: Bun.file(form),
    });
    expect(answer.status).toBe(201);
    const { url } = ((await answer.json()) as { attachment: { url: string } }).attachment;
    expect(url).toStartWith("https://blog.example.com/media/");
    const piece = await at.ask(new URL(url).pathname, "blog.example.com", {
      headers: { range: `bytes=-${LAST_WORDS.length}` },
    });
    expect(piece.status).toBe(206);
    expect(piece.headers.get("content-range")).toBe(
      `bytes ${VIDEO_BYTES - LAST_WORDS.length}-${VIDEO_BYTES - 1}/${VIDEO_BYTES}`,
    );
    expect(await piece.text()).toBe(LAST_WORDS.toString());
  });

  test.skipIf(!kind.isHere || !own)(
    "attempts are counted by the reader's address, whatever headers the reader sends",
    async () => {
      let attempts = 0;
      const statusFrom = async (from: string) => {
        const forged = { "x-forwarded-for": `198.51.100.${attempts++}` };
        return (await at.ask("/auth/join/wrong", "blog.example.com", { headers: forged }, from)).status;
      };
      for (let tries = 0; tries < 20; tries++) expect(await statusFrom(own as string)).toBe(403);
      expect(await statusFrom(own as string)).toBe(429);
      expect(await statusFrom("127.0.0.1")).toBe(403);
    },
  );

  testForwarding(kind, at);

  behindIt("does not expose metrics", async () => {
    expect((await at.ask("/metrics", "blog.example.com", {}, "127.0.0.1")).status).not.toBe(200);
  });
});

test("Caddyfile.example begins with the lines in the docs", () => {
  const example = readFileSync(join(import.meta.dir, "../../Caddyfile.example"), "utf8");
  expect(example.replaceAll(/^#.*\n/gm, "").trim()).toBe(codeBlock("caddy").trim());
});

describe(caddyOnDemand.name, () => {
  const at = startInFront(caddyOnDemand);
  const behindIt = test.skipIf(!caddyOnDemand.isHere);

  behindIt("gets a certificate for a blog's domain on the first visit, and for no other name", async () => {
    expect(await (await at.ask("/", "another-blog.example.org")).text()).toContain("<title>Second");
    expect(await (await at.ask("/", "blog.example.com")).text()).toContain("<title>Ann");
    await expect(at.ask("/", "stranger.example.net")).rejects.toThrow("TLS handshake");
  });
});

describe(nginxCache.name, () => {
  const at = startInFront(nginxCache);
  const behindIt = test.skipIf(!nginxCache.isHere);
  const withKey = { authorization: "" };
  beforeAll(() => {
    withKey.authorization = `Bearer ${key}`;
  });

  testForwarding(nginxCache, at);

  behindIt("serves cached files and ranges after the first request", async () => {
    const uploaded = await at.ask("/api/v1/attachments", "blog.example.com", {
      method: "POST",
      headers: withKey,
      body: uploadForm(new Uint8Array(firstBox("isom", ["mp42"], 10_000)), "film.mp4"),
    });
    const { url } = ((await uploaded.json()) as { attachment: { url: string } }).attachment;
    const { pathname } = new URL(url);
    const range = { range: "bytes=100-199" };
    for (const [headers, status, kept, length] of [
      [{}, 200, "MISS", 10_000],
      [{}, 200, "HIT", 10_000],
      [range, 206, "HIT", 100],
    ] as [Record<string, string>, number, string, number][]) {
      const answer = await at.ask(pathname, "blog.example.com", { headers });
      expect([answer.status, answer.headers.get("x-cache")]).toEqual([status, kept]);
      expect((await answer.bytes()).length).toBe(length);
    }
  });

  behindIt("readers see a change at once", async () => {
    const change = (method: string, path: string, post: object) =>
      at.ask(`/api/v1/posts${path}`, "blog.example.com", {
        method,
        headers: { ...withKey, "content-type": "application/json" },
        body: JSON.stringify({ post }),
      });
    const made = await change("POST", "", { title: "Before", slug: "here", status: "published" });
    const { id } = ((await made.json()) as { post: { id: number } }).post;
    const currentTitle = async () =>
      /<title>(\w+)/.exec(await (await at.ask("/here", "blog.example.com")).text())?.[1];
    expect(await currentTitle()).toBe("Before");
    await change("PATCH", `/${id}`, { title: "After" });
    expect(await currentTitle()).toBe("After");
  });
});

describe(nginxPages.name, () => {
  const pages = join(temporary, folderOf(nginxPages), "pages");
  const purges: { method: string; hosts: string[] }[] = [];
  let purgeReceived = Promise.withResolvers<void>();
  /** Purges the cache as documented. */
  const purger = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const entries = existsSync(pages) ? readdirSync(pages, { recursive: true, withFileTypes: true }) : [];
      for (const entry of entries) if (entry.isFile()) rmSync(join(entry.parentPath, entry.name));
      const { hosts = [] } = (await request.json().catch(() => ({}))) as { hosts?: string[] };
      purges.push({ method: request.method, hosts });
      purgeReceived.resolve();
      purgeReceived = Promise.withResolvers();
      return new Response("ok");
    },
  });
  afterAll(() => purger.stop(true));
  /** @returns the first purge request that has not been read */
  const nextPurge = async () => {
    while (purges.length === 0) await waitFor(purgeReceived.promise, "a purge request");
    return purges.shift();
  };
  const env = { PLATEN_PURGE_URL: purger.url.href, PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const at = startInFront(nginxPages, env);
  testForwarding(nginxPages, at);

  test.skipIf(!nginxPages.isHere)(
    "a page is cached until it changes, separately for each host; drafts are never cached",
    async () => {
      const [first, second] = ["blog.example.com", "another-blog.example.org"];
      const send = (method: string, path: string, post: object) =>
        at.ask(`/api/v1/posts${path}`, first, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ post }),
        });
      const fetchFrom = async (path: string, domain = first) => {
        const answer = await at.ask(path, domain);
        const title = /<title>(\w+)/.exec(await answer.text())?.[1];
        return [answer.headers.get("x-cache"), answer.headers.get("cache-control"), title];
      };
      expect(await nextPurge()).toEqual({ method: "POST", hosts: [first, second] });
      const made = await send("POST", "", { title: "Before", slug: "kept", status: "published" });
      const { id } = ((await made.json()) as { post: { id: number } }).post;
      expect(await nextPurge()).toEqual({ method: "POST", hosts: [first] });
      const asking = "public, no-cache";
      expect(await fetchFrom("/kept")).toEqual(["MISS", asking, "Before"]);
      expect(await fetchFrom("/kept")).toEqual(["HIT", asking, "Before"]);
      expect(await fetchFrom("/")).toEqual(["MISS", asking, "Ann"]);
      expect(await fetchFrom("/", second)).toEqual(["MISS", asking, "Second"]);
      const later = await send("POST", "", { title: "Later", slug: "later", status: "draft" });
      expect(await fetchFrom("/")).toEqual(["HIT", asking, "Ann"]);
      await send("POST", "?blog_id=2", { title: "Elsewhere", status: "published" });
      expect(await nextPurge()).toEqual({ method: "POST", hosts: [second] });
      expect((await at.ask("/later", first)).status).toBe(404);
      const draft = ((await later.json()) as { post: { id: number } }).post;
      await send("PATCH", `/${draft.id}`, { status: "published" });
      expect((await fetchFrom("/later"))[2]).toBe("Later");
      expect(await nextPurge()).toEqual({ method: "POST", hosts: [first] });
      await send("PATCH", `/${id}`, { title: "After" });
      expect(await nextPurge()).toEqual({ method: "POST", hosts: [first] });
      expect(await fetchFrom("/kept")).toEqual(["MISS", asking, "After"]);
      expect(await fetchFrom("/kept")).toEqual(["HIT", asking, "After"]);
      expect(purges).toEqual([]);
    },
  );
});

/** Tests of the settings for headers, sizes and buffers. */
function testForwarding(kind: WebServerKind, at: ReturnType<typeof startInFront>): void {
  const domain = "blog.example.com";
  const withHost = test.skipIf(!kind.isHere || !own);

  withHost("who asks, by which host and scheme, whatever readers say of them", async () => {
    const forged = {
      "x-forwarded-for": "198.51.100.1",
      "x-forwarded-host": "another-blog.example.org",
      "x-forwarded-proto": "http",
    };
    for (const headers of [{}, forged] as Record<string, string>[]) {
      const answer = await at.ask(PROXY_ECHO_PATH, domain, { headers });
      expect(await answer.json()).toEqual({ base: "https://blog.example.com", client: own });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    expect(await (await at.ask("/", domain, { headers: forged })).text()).toContain("<title>Ann");
  });

  // Caddy does so too, but reads the response only when more of the body arrives.
  if (kind === caddy) return;
  withHost(
    "streams uploads up to the maximum size, and rejects unauthorized ones before the file has been sent",
    async () => {
      for (const length of ["Transfer-Encoding: chunked", `Content-Length: ${MAX_VIDEO_BYTES + 1000}`]) {
        const head = [`Host: ${domain}`, `Content-Type: multipart/form-data; boundary=${BOUNDARY}`, length];
        const sent = ["POST /api/v1/attachments HTTP/1.1", ...head, "", "5\r\n--bet\r\n"].join("\r\n");
        expect([length, await at.firstLine(domain, sent)]).toEqual([length, "HTTP/1.1 401 Unauthorized"]);
      }
    },
    60_000,
  );
}

function folderOf({ name }: WebServerKind): string {
  return name.replaceAll(" ", "-");
}

/** Starts a Platen and this web server in front of it, for one `describe`. */
function startInFront(kind: WebServerKind, settings: Record<string, string> = {}) {
  let platen: RunningServer;
  let server: WebServer;
  beforeAll(async () => {
    if (!kind.isHere) {
      console.warn(
        `${kind.name} is not installed here: nothing is tested behind it. \`.ci/run\` says what is.`,
      );
      return;
    }
    const folder = join(temporary, folderOf(kind));
    mkdirSync(folder);
    const data = join(folder, "data");
    cpSync(made, data, { recursive: true });
    platen = await startServer({ data, env: { PLATEN_URL: "https://blog.example.com", ...settings } });
    server = await kind.start(folder, Number(/port (\d+)|:(\d+)/.exec(platen.stdout())?.[2]));
  });
  afterAll(async () => {
    server?.stop();
    await platen?.[Symbol.asyncDispose]();
  });
  return {
    /** @returns status of the response to a partial request */
    firstLine: (domain: string, sent: string) =>
      new Promise<string>((resolve, reject) => {
        const where = { host: own, port: server.port, servername: domain, ca: server.ca };
        const socket = connect(where, () => void socket.write(sent));
        let answer = "";
        socket.on("data", (bytes) => {
          answer += bytes;
          if (!answer.includes("\r\n")) return;
          resolve(answer.slice(0, answer.indexOf("\r\n")));
          socket.destroy();
        });
        socket.on("error", reject);
        socket.on("end", () => reject(new Error(`It ended after "${answer}".`)));
      }),
    ask: (path: string, domain: string, init: RequestInit = {}, address = own ?? "127.0.0.1") =>
      fetch(`https://${address}:${server.port}${path}`, {
        ...init,
        headers: { ...init.headers, host: domain },
        redirect: "manual",
        tls: { ca: server.ca, serverName: domain } as BunFetchRequestInit["tls"],
      }),
  };
}
