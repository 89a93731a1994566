import { createHmac } from "node:crypto";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { assert, type SelfTest, startTestedServer, waitFor } from "./tested-server";

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAMAAACWlYwtAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAGklEQVRIie3BgQAAAADDoPlTX+AIVQEAAHQNDDAAAWReGocAAAAASUVORK5CYII=",
  "base64",
);
const API = "/api/v1";
const EMAIL = "selftest@example.com";
const PASSWORD = "a password for the self-test";
const WRITERS = 4;
const KILLED_AFTER = [5, 40, 90];

/** In order: later checks use the account, the key and the posts of earlier checks. */
export const CHECKS: Record<string, (test: SelfTest) => Promise<void>> = {
  async "Starts in an empty folder, and prints an API key"(test) {
    await test.expect(200, "GET", "/readyz", { isAnonymous: true });
    const words = `setup --email ${EMAIL} --title Self-test --slug selftest --password-stdin`.split(" ");
    test.key = await test.run(words, PASSWORD);
    assert(/^platen_[\w-]{32,}$/.test(test.key), `setup printed "${test.key}" instead of an API key`);
    const info = await test.expect(200, "GET", `${API}/info`);
    assert(info.json.blogs.length === 1, "the first account does not have one blog");
  },

  async "API: creates, reads, changes, lists and deletes posts"(test) {
    const markdown = { content: "High *water*", content_type: "markdown" };
    const post = await createPost(test, { title: "Tides", ...markdown });
    const path = `${API}/posts/${post.id}`;
    assert(post.status === "draft", "a post without a status is not a draft");
    assert(post.content.html.includes("<em>water</em>"), "Markdown is not rendered");
    await test.expect(200, "PATCH", `${path}/publish`);
    const changed = await test.send("PATCH", path, { body: { post: { title: "Low tides" } } });
    assert(changed.json?.post.title === "Low tides", "the title was not changed");
    const known = { headers: { "if-none-match": changed.headers.get("etag") ?? "" } };
    await test.expect(304, "GET", path, known, "GET with the ETag");
    const stale = { headers: { "if-match": '"old"' }, body: { post: { title: "Lost" } } };
    await test.expect(412, "PATCH", path, stale, "PATCH with an old ETag");
    const list = await test.send("GET", `${API}/posts?search=low&limit=5`);
    assert(list.json?.pagination.total === 1, "the search does not find the post");
    const unpublished = await test.send("PATCH", `${path}/unpublish`);
    assert(unpublished.json?.post.status === "draft", "unpublishing does not turn the post into a draft");
    await test.expect(204, "DELETE", path);
    await test.expect(404, "GET", path, {}, "GET of a deleted post");
  },

  async "API: rejects wrong requests and says why"(test) {
    const expectError = async (status: number, method: string, path: string, options?: object) => {
      const { json } = await test.expect(status, method, API + path, options);
      assert(typeof json?.message === "string", `${method} ${path} has no message`);
      return json.errors ?? {};
    };
    await expectError(401, "GET", "/posts", { isAnonymous: true });
    await expectError(400, "GET", "/posts?sort=color");
    await expectError(400, "GET", "/posts?category=a&uncategorized=true");
    await expectError(404, "GET", "/posts/999999");
    const tooLong = { title: "x".repeat(501), content: "x".repeat(1_000_001) };
    for (const field of ["title", "content"] as const) {
      const post = { title: "Long", [field]: tooLong[field] };
      const errors = await expectError(422, "POST", "/posts", { body: { post } });
      assert(Array.isArray(errors[field]), `the error for a long ${field} does not name the field`);
    }
  },

  async "API: a repeated request creates nothing twice"(test) {
    const request = { headers: { "idempotency-key": "selftest-1" }, body: { post: { title: "Once" } } };
    const first = await test.send("POST", `${API}/posts`, request);
    const second = await test.send("POST", `${API}/posts`, request);
    assert(second.json?.post.id === first.json?.post.id, "the repeated request created a second post");
  },

  async "Content: scripts are removed"(test) {
    const content = '<p onclick="x()">Safe<script>alert(1)</script><a href="javascript:x()">link</a></p>';
    const { content: stored } = await createPost(test, { title: "Scripts", content });
    assert(!/script|onclick/i.test(stored.html), `scripts were not removed: ${stored.html}`);
  },

  async "Pictures: uploaded, resized, and shown with alt text"(test) {
    const form = fileForm("attachment[file]", PICTURE);
    const upload = await test.expect(201, "POST", `${API}/attachments`, { body: form });
    const { html, filename } = upload.json.attachment;
    const post = await createPost(test, {
      title: "The sea",
      content: `<p>Today:</p>${html}`,
      alt_text: { [filename]: "Flat sea" },
      status: "published",
      tags: ["water"],
    });
    assert(post.attachments?.[0]?.alt === "Flat sea", "the alt text is not returned");
    for (const address of [post.attachments[0].url, post.attachments[0].thumbnail]) {
      const file = await test.send("GET", new URL(address).pathname, { isAnonymous: true });
      assert(file.headers.get("content-type")?.startsWith("image/"), `${address} is not a picture`);
    }
    const text = fileForm("attachment[file]", "no picture");
    await test.expect(422, "POST", `${API}/attachments`, { body: text }, "an upload of text");
  },

  async "Site: home, post, feeds, sitemap and search"(test) {
    await createPost(test, { title: "Hidden draft", slug: "hidden-draft" });
    const read = async (path: string, part: string) => {
      const page = await test.expect(200, "GET", path, { isAnonymous: true });
      assert(page.text.includes(part), `${path} does not contain "${part}"`);
      return page.text;
    };
    const home = await read("/", "The sea");
    assert(!home.includes("Hidden draft"), "the home page shows a draft");
    assert(!/<script(?! type="application\/ld\+json")/.test(home), "the home page has a script");
    await read("/the-sea", 'alt="Flat sea"');
    for (const feed of ["/feed.xml", "/feed.atom", "/feed.json", "/tag/water"]) await read(feed, "The sea");
    await read("/sitemap.xml", "/the-sea</loc>");
    await read("/search?q=today", "The sea");
    await test.expect(404, "GET", "/hidden-draft", { isAnonymous: true }, "GET of a draft");
  },

  async "Micropub: creates, changes, deletes and restores posts"(test) {
    const post = (status: number, body: object, name: string) =>
      test.expect(status, "POST", "/micropub", { body }, name);
    const entry = new URLSearchParams({ h: "entry", content: "From an *app*", "mp-slug": "from-an-app" });
    const created = await post(201, entry, "a form-encoded create");
    const url = created.headers.get("location") ?? "";
    const read = async () => (await test.send("GET", new URL(url).pathname, { isAnonymous: true })).status;
    assert((await read()) === 200, `${url} is not a published post`);
    await post(204, { action: "update", url, replace: { name: ["Renamed"] } }, "an update");
    const source = await test.send("GET", `/micropub?q=source&url=${encodeURIComponent(url)}`);
    assert(source.json?.properties.name[0] === "Renamed", "q=source does not return the new name");
    await post(204, { action: "delete", url }, "a delete");
    assert((await read()) >= 404, "a deleted post is still shown");
    const undeleted = await test.send("POST", "/micropub", { body: { action: "undelete", url } });
    assert(undeleted.status < 300 && (await read()) === 200, "undelete does not restore the post");
    const config = await test.send("GET", "/micropub?q=config");
    assert(config.json?.["media-endpoint"], "q=config names no media endpoint");
    const form = fileForm("file", PICTURE);
    await test.expect(201, "POST", "/micropub/media", { body: form }, "a media upload");
    await post(400, { action: "fly", url }, "an unknown action");
  },

  async "IndieAuth: an app signs in and gets a key"(test) {
    const { url: server } = await test.serve();
    const cookies = new Map<string, string>();
    const send = async (method: string, path: string, body?: URLSearchParams) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { cookie, origin: server };
      const response = await test.send(method, path, { headers, body, isAnonymous: true });
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (set.split(";")[0] as string).split("=");
        cookies.set(name, value);
      }
      return response;
    };
    await send("GET", "/auth/sign-in");
    const credentials = new URLSearchParams({ email: EMAIL, password: PASSWORD });
    const signedIn = await send("POST", "/auth/sign-in", credentials);
    assert(signedIn.status === 302 || signedIn.status === 303, `signing in returned ${signedIn.status}`);

    const verifier = "a-verifier-for-the-self-test-0123456789-0123456789";
    const redirect = `${test.receiverUrl}callback`;
    const request = new URLSearchParams({
      response_type: "code",
      client_id: test.receiverUrl,
      redirect_uri: redirect,
      state: "selftest",
      code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      scope: "create",
    });
    const consent = await send("GET", `/auth?${request}`);
    assert(consent.status === 200, `the consent page returned ${consent.status}`);
    const redirected = await send("POST", "/auth/consent", formFields(consent.text, { answer: "allow" }));
    const back = new URL(redirected.headers.get("location") ?? redirect);
    assert(back.searchParams.get("state") === "selftest", "the app was not called back");
    const exchange = new URLSearchParams({
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      client_id: test.receiverUrl,
      redirect_uri: redirect,
      code_verifier: verifier,
    });
    const options = { body: exchange, isAnonymous: true };
    const token = await test.expect(200, "POST", "/auth/token", options, "the exchange of the code");
    const headers = { authorization: `Bearer ${token.json.access_token}` };
    await test.expect(200, "GET", "/micropub?q=config", { headers }, "Micropub with the app's key");
    const again = await test.send("POST", "/auth/token", options);
    assert(again.status >= 400, "a code can be used twice");
  },

  async "Webhooks: five events, in order and signed"(test) {
    const secret = await test.run(["webhook", "add", "--blog", "selftest", test.receiverUrl]);
    test.received.length = 0;
    const { id } = await createPost(test, { title: "Events", status: "published" });
    const path = `${API}/posts/${id}`;
    await test.send("PATCH", path, { body: { post: { title: "Events again" } } });
    await test.send("PATCH", `${path}/unpublish`);
    await test.send("PATCH", `${path}/publish`);
    await test.send("DELETE", path);
    const expected = ["published", "updated", "unpublished", "published", "deleted"].map(
      (name) => `post.${name}`,
    );
    await waitFor(() => test.received[expected.length - 1], "the last event");
    const names = test.received.map(({ body }) => JSON.parse(body).event);
    assert(names.join() === expected.join(), `the events were ${names.join(", ")}`);
    for (const { headers, body } of test.received) {
      const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
      assert(headers.get("webhook-signature") === signature, "a signature is wrong");
    }
  },

  async "Webhooks: a failed delivery is repeated with the same id"(test) {
    test.received.length = 0;
    test.nextStatuses.push(503, 500);
    await createPost(test, { title: "Retries", status: "published" });
    await waitFor(() => test.received[2], "the third attempt");
    const ids = new Set(test.received.map(({ headers }) => headers.get("webhook-id")));
    assert(ids.size === 1, "the attempts have different ids");
    await test.run(["webhook", "remove", "--blog", "selftest", test.receiverUrl]);
  },

  async "A copy made while posts are written contains all posts"(test) {
    const copy = join(test.data, "../copy");
    using writing = startWriting(test);
    await atLeast(writing, 100);
    const before = [...writing.ids];
    await cp(test.data, copy, { recursive: true });
    writing.stop();
    await writing.ended;
    await test.run(["check"], "", copy);
    await assertHolds(test, copy, before);
  },

  async "A backup is verified and can be served"(test) {
    const { id } = await createPost(test, { title: "In the backup" });
    const backup = join(test.data, "../backup");
    await test.run(["backup", backup]);
    const restored = join(test.data, "../restored");
    await test.run(["restore", backup], "", restored);
    await assertHolds(test, restored, [id]);
  },

  async "Nothing is lost when the server is killed"(test) {
    for (const count of KILLED_AFTER) {
      const server = await test.serve();
      using writing = startWriting(test);
      await atLeast(writing, count);
      writing.stop();
      await server.end("SIGKILL");
      await writing.ended;
      test.server = null;
      for (const id of writing.ids)
        await test.expect(200, "GET", `${API}/posts/${id}`, {}, `post ${id} after the kill`);
    }
  },

  async "Stops on request, and leaves the folder in order"(test) {
    const server = await test.serve();
    test.server = null;
    const code = await server.end("SIGTERM");
    assert(code === 0, `the server ended with exit code ${code}`);
    await test.run(["check"]);
  },
};

async function createPost(test: SelfTest, post: Record<string, unknown>) {
  return (await test.expect(201, "POST", `${API}/posts`, { body: { post } })).json.post;
}

function fileForm(field: string, content: BlobPart): FormData {
  const form = new FormData();
  form.append(field, new File([content], "sea.png"));
  return form;
}

function formFields(page: string, fields: Record<string, string>): URLSearchParams {
  const form = page.slice(page.indexOf("<form"), page.indexOf("</form>"));
  const params = new URLSearchParams();
  for (const [input] of form.matchAll(/<input [^<>]{0,500}>/g)) {
    if (/type="(checkbox|radio)"/.test(input) && !input.includes(" checked")) continue;
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name && !(name in fields)) params.append(name, /value="([^"]*)"/.exec(input)?.[1] ?? "");
  }
  for (const [name, value] of Object.entries(fields)) params.append(name, value);
  return params;
}

/** `ids` contains the posts that the server has acknowledged. */
function startWriting(test: SelfTest) {
  const ids: number[] = [];
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let count = 0; !isOver; count++) {
      const post = {
        title: `Writer ${writer}, ${count}`,
        content: "<p>words</p>".repeat(200),
        status: "published",
      };
      const response = await test.send("POST", `${API}/posts`, { body: { post } }).catch(() => null);
      if (response === null && isOver) return;
      assert(response?.status === 201, `a post could not be written: ${response?.text ?? "no response"}`);
      ids.push(response.json.post.id);
    }
  });
  const stop = () => {
    isOver = true;
  };
  const ended = Promise.all(writers);
  // If a check fails before it awaits the writers, their error must not become an unhandled rejection.
  ended.catch(() => {});
  return { ids, stop, ended, [Symbol.dispose]: stop };
}

async function atLeast({ ids, ended }: ReturnType<typeof startWriting>, count: number): Promise<void> {
  await Promise.race([ended, waitFor(() => (ids.length >= count ? true : undefined), `${count} posts`)]);
}

async function assertHolds(test: SelfTest, data: string, ids: number[]): Promise<void> {
  const server = await startTestedServer(data);
  try {
    for (const id of ids)
      await test.expect(200, "GET", `${server.url}${API}/posts/${id}`, {}, `post ${id} in the copy`);
  } finally {
    await server.end("SIGTERM");
  }
}
