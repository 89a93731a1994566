import { type BlogChanges, configureBlog } from "../../src/blogs/blog-settings";
import { type Blog, blogById } from "../../src/blogs/blogs";
import { blogs } from "../../src/database/schema";
import { storeReaction } from "../../src/komments/reactions";
import { writeKomment } from "../../src/komments/writing-and-importing-komments";
import type { Post } from "../../src/posts/post/post";
import { postAtSlug } from "../../src/posts/reading/finding-posts";
import { fieldsIn, formOf } from "./cookie-browser";
import { uploadForm } from "./pictures";
import { type PageRequest, plainPages } from "./plain-pages";
import { copierOf, DAY, HOUR, MINUTE, startPlaten, type TestPlaten } from "./platen";
import { landscape } from "./scenery";
import { atEnd } from "./temporary";

/** A blog with every kind of content, served for browsers. */
export interface Showcase {
  at: TestPlaten;
  /** Without a slash at the end. */
  url: string;
  /** Pages that depend on the theme, by content. */
  pages: Record<string, string>;
  /** Prepares pages that look the same in all themes. @returns their paths */
  plainPages(): Promise<Record<string, string>>;
  set(changes: BlogChanges): void;
}

const LIGHTS: [string, string, string][] = [
  ["#27476e", "#f3b27a", "#1d2b3a"],
  ["#7fa7c7", "#f7e3c0", "#2e4a3b"],
  ["#40335e", "#e58a7b", "#241c33"],
  ["#a9c4cf", "#eef0e6", "#41585c"],
  ["#162a45", "#7fb0c9", "#0d1822"],
  ["#e7c9a9", "#f9efe0", "#7a4a32"],
];

const SHAPES: [width: number, height: number][] = [
  [1200, 800],
  [800, 1067],
  [1080, 720],
  [1000, 1000],
  [1400, 600],
  [1080, 720],
  [320, 260],
];

type Furnish = (at: TestPlaten) => Promise<void>;
const addNothing: Furnish = async () => {};

/** Showcases as they were when they were filled, and the server for their copies. */
const filled = new Map<Furnish, Promise<{ startCopy: () => TestPlaten; pages: Record<string, string> }>>();
let server: ReturnType<typeof Bun.serve> | null = null;
let answer: (request: Request) => Response | Promise<Response>;

/**
 * Starts a showcase in place of the previous one. The first call fills it, later ones copy it.
 * @param furnish adds what only one test file needs
 */
export async function openShowcase(furnish = addNothing): Promise<Showcase> {
  server ??= Bun.serve({
    // A busy machine may need more than Bun's ten seconds.
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answer(request),
  });
  const { origin: url } = server.url;
  const filling = filled.get(furnish) ?? fillFor(furnish, url);
  filled.set(furnish, filling);
  const { startCopy, pages } = await filling;
  const at = startCopy();
  /** Pages that need preparation, by path. */
  const pageRequests = new Map<string, PageRequest>();
  answer = (request) => pageRequests.get(new URL(request.url).pathname)?.() ?? at.fetch(request.url, request);
  const requestAt = (name: string, asking: PageRequest) => {
    pageRequests.set(`/asked/${name}`, asking);
    return `/asked/${name}`;
  };
  const faulty = requestAt("faulty", () => sendFaulty(at, url, pages.komment as string));
  return {
    at,
    url,
    pages: { ...pages, faulty },
    plainPages: async () =>
      Object.fromEntries(
        Object.entries(await plainPages(at)).map(([name, asking]) => [name, requestAt(name, asking)]),
      ),
    set: (changes) => {
      configureBlog(at.platen, at.blog, changes);
    },
  };
}
atEnd(() => {
  void server?.stop(true);
  server = null;
  filled.clear();
});

async function fillFor(furnish: Furnish, url: string) {
  const at = startPlaten({ url });
  const pages = await fill(at);
  await furnish(at);
  return { startCopy: copierOf(at), pages };
}

/** @returns pages that depend on the theme, by content */
async function fill(at: TestPlaten): Promise<Record<string, string>> {
  configureBlog(at.platen, at.blog, {
    title: "Slow Water",
    description:
      "Walks, small programs and things seen from the ferry. Written on an island, mostly in the evening.",
    header: '<nav aria-label="Pages"><a href="/about">About</a> <a href="/category/walks">Walks</a></nav>',
    design: { related: true, readingTime: true },
    footer: '<p>Words and pictures by Ada. <a href="mailto:ada@example.com">Write to me</a>.</p>',
  });
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();

  const upload = async (
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = {},
  ) => {
    const body = uploadForm(
      bytes,
      name,
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [`attachment[${key}]`, value])),
    );
    const answer = await at.fetch("/api/v1/attachments", {
      method: "POST",
      headers: { authorization: `Bearer ${at.key}` },
      body,
    });
    return ((await answer.json()) as { attachment: { html: string } }).attachment.html;
  };
  const post = async (fields: Record<string, unknown>) => {
    at.pass(3 * DAY + 5 * HOUR);
    const answer = await at.api("POST", "/posts", { post: { status: "published", ...fields } });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.post as {
      id: number;
      slug: string;
      share_url: string | null;
      meta: { share_id?: string };
    };
  };
  // In order, because tests use their ids.
  const photos: string[] = [];
  for (const [number, [width, height]] of SHAPES.entries()) {
    const light = LIGHTS[number % LIGHTS.length] as [string, string, string];
    const bytes = await landscape(width, height, light, number);
    photos.push(await upload(`coast-${number + 1}.jpg`, bytes, { caption: CAPTIONS[number] ?? "" }));
  }
  const [first = "", second = "", third = "", fourth = "", fifth = "", sixth = "", small = ""] = photos;
  const film = await upload(
    "ferry.mp4",
    new Uint8Array(
      Buffer.from(
        "0000001c667479706d703432000000006d70343269736f6d00000008mdat".replace("mdat", "6d646174"),
        "hex",
      ),
    ),
    {
      caption: "The ferry leaves",
    },
  );

  const createByMicropub = async (properties: Record<string, unknown[]>) => {
    const answer = await at.fetch("/micropub", {
      method: "POST",
      headers: { authorization: `Bearer ${at.key}`, "content-type": "application/json" },
      body: JSON.stringify({ type: ["h-entry"], properties }),
    });
    return answer.headers.get("location") as string;
  };
  for (let number = 1; number <= 12; number++)
    await post({ content: `<p>Tide ${number}.</p>`, published_at: `2025-0${1 + (number % 3)}-11T08:00:00Z` });

  const plain = (snippet: string) => snippet.replace(/ caption="[^"]*"/, "");
  await post({
    title: "About",
    type: "page",
    content: "<p>I am Ada. I write here.</p>",
    meta: { show_contact_form: true },
  });
  await post({ content: "<p>The kettle sings a fourth, then thinks better of it.</p>", tags: ["kitchen"] });
  await post({ title: "一杯のお茶", content: JAPANESE, tags: ["日本語"] });
  const arabic = await post({ title: "رحلة إلى البحر", content: ARABIC, tags: ["عربي"] });
  await post({
    title: "Night crossing",
    content: `<p>Nothing but lamps.</p>${plain(fifth)}`,
    category: "Walks",
  });
  await post({ content: `${plain(fourth)}<p>Slack tide, seven in the morning.</p>` });
  await post({
    title: "Across the sound",
    content: `<p>Four hours there, three back.</p>${plain(third)}<p>Rain later.</p>`,
    category: "Walks",
  });
  const code = await post({
    title: "A queue in forty lines",
    content_type: "markdown",
    content: CODE,
    tags: ["programs"],
    series: "Small programs",
  });
  const long = await post({
    title: "What the tide tables do not say",
    content: LONG,
    category: "Walks",
    tags: ["sea", "maps"],
  });
  const gallery = await post({
    title: "Six views from the north shore",
    content: `<p>I went out before sunrise with one lens and too little coffee.</p>${first}<p>Later the light went flat, and then it did not.</p>${second}${plain(third)}${fourth}${plain(fifth)}${sixth}${small}<p>The ferry goes at noon.</p>${film}`,
    category: "Walks",
    tags: ["photos", "north shore", "morning"],
  });
  const shared = await post({
    title: "Not finished yet",
    status: "draft",
    content: "<p>Half a thought.</p>",
    meta: { is_shared: true },
  });
  const endless = await post({
    title: ENDLESS.repeat(5),
    content: "<p>One word.</p>",
    category: ENDLESS,
    tags: [ENDLESS],
  });
  const sampler = await post({
    title: "A sampler",
    content_type: "markdown",
    content: `${SAMPLER}\n\n${first}\n\n${BLOCKS}`,
    tags: ["programs"],
    series: "Small programs",
    meta: { show_contact_form: true },
  });
  const reply = await createByMicropub({
    content: ["Quite so."],
    "in-reply-to": ["https://example.org/sill"],
    rsvp: ["yes"],
    photo: [{ value: "https://example.org/sill.jpg", alt: "The sill" }],
    syndication: ["https://social.example/@ada/1"],
  });
  const checkin = await createByMicropub({
    checkin: ["geo:59.91,10.75;name=North%20quay"],
    "bookmark-of": [{ type: ["h-cite"], properties: { name: ["The chart"], url: ["https://example.org/"] } }],
    category: [{ type: ["h-card"], properties: { name: ["Jun"], url: ["https://jun.example.org/"] } }],
  });
  const shareId = at.platen.db.$client
    .query<{ share_id: string }, [number]>("SELECT share_id FROM posts WHERE id = ?")
    .get(shared.id)?.share_id;
  const commented = postAtSlug(at.platen, blogById(at.platen, at.blog.id) as Blog, long.slug) as Post;
  for (const [name, text] of KOMMENTS) {
    at.pass(3 * MINUTE);
    const address = name === "Jun" ? "https://jun.example.org" : "";
    await writeKomment(at.platen, commented, { name, address, text }, crypto.randomUUID());
  }
  const liked = postAtSlug(at.platen, blogById(at.platen, at.blog.id) as Blog, code.slug) as Post;
  for (const [kind, name] of [
    ["like", "Jun"],
    ["like", "Tove"],
    ["boost", "مريم"],
  ] as const)
    storeReaction(at.platen, liked, {
      kind,
      name,
      uri: `https://jun.example.org/${kind}/${name}`,
      url: "https://jun.example.org/",
    });
  const ownKomment = "k".repeat(43);
  const unbroken = postAtSlug(at.platen, blogById(at.platen, at.blog.id) as Blog, endless.slug) as Post;
  await writeKomment(
    at.platen,
    unbroken,
    { name: ENDLESS, address: "", text: `Code:\n\n    ${ENDLESS}` },
    ownKomment,
  );
  const thanks = `thanks?link=${ownKomment}`;
  return {
    home: "/",
    older: "/?page=2",
    long: `/${long.slug}`,
    code: `/${code.slug}`,
    gallery: `/${gallery.slug}`,
    arabic: `/${arabic.slug}`,
    page: "/about",
    archive: "/archive",
    category: "/category/walks",
    tag: "/tag/sea",
    sampler: `/${sampler.slug}`,
    reply: new URL(reply).pathname,
    checkin: new URL(checkin).pathname,
    words: "/search",
    search: "/search?q=ferry",
    nothing: "/search?q=zeppelin",
    share: `/share/${shareId}`,
    missing: "/no-such-page",
    komment: `/komments/${long.slug}`,
    contact: "/komments/about/contact",
    endless: `/${endless.slug}`,
    ownKomment: `/komments/mine/${ownKomment}`,
    kommentThanks: `/komments/${long.slug}/${thanks}`,
    contactThanks: "/komments/about/contact/thanks",
    deleted: "/komments/mine/deleted",
  };
}

/** The page for an invalid form. */
async function sendFaulty(at: TestPlaten, url: string, path: string): Promise<Response> {
  const form = fieldsIn(await (await at.fetch(url + path)).text());
  at.pass(MINUTE);
  const body = formOf({ ...form, name: "", address: "not one", text: "" });
  return at.fetch(url + path, { method: "POST", headers: { origin: url }, body });
}

/** One word of the maximum length of names. */
const ENDLESS = "Rindfleischetikettierung".repeat(5).slice(0, 100);

const CAPTIONS = [
  "The outer skerries a quarter of an hour before the sun, seen from the old signal station.",
  "The path down.",
  "",
  "Slack tide",
  "",
  "Home, with the wind behind.",
];

const KOMMENTS: [string, string][] = [
  ["Jun", "The same here in the strait: the table says 14:10, the water says *later*."],
  ["مريم", "شكرًا على هذا النص الجميل."],
  [
    "Tove",
    "Have you tried the **pilot book** of 1911? It has a whole page on that sill:\n\n> vessels waiting should lie to the east of the perch\n\nAnd they still should.",
  ],
];

const LONG = `<p>Every harbour on this coast keeps a tide table nailed inside the door of the shed. It is printed in March by people who live four hundred kilometres away, and it is nearly always right.<sup class="footnote-ref"><a href="#fn1" id="fnref1">1</a></sup> What it does not say is how the water <em>behaves</em> on its way to being right.</p>
<p>Between the island and the mainland there is a sill. It is no more than a long fold in the rock, nine metres under at low water, and yet on a spring tide you can see it from the hill: a crease, a line of small standing waves, sometimes a seal who knows something. <a href="https://example.org/charts">The old chart</a> shows it; the new one, drawn by satellite, calls it “foul ground” and leaves it at that.</p>
<h2>Three things to look at first</h2>
<ol><li>The weed on the mooring lines. It leans before anything else does.</li><li>The birds. Terns fish where the water is being squeezed.</li><li>The clock, last of all.</li></ol>
<blockquote><p>The sea does not keep appointments. It keeps habits, and one may learn those.</p><p><cite>Harbour master’s note, 1926</cite></p></blockquote>
<p>I wrote down the hour of slack water every day for two months. Here is the part of it that surprised me:</p>
<table><caption>Slack water against the table, September</caption><thead><tr><th>Day</th><th>Table</th><th>Seen</th><th align="right">Late by</th><th>Wind</th></tr></thead><tbody><tr><td>3 September</td><td>06:12</td><td>06:31</td><td align="right">19 min</td><td>NW 4</td></tr><tr><td>11 September</td><td>12:48</td><td>12:50</td><td align="right">2 min</td><td>calm</td></tr><tr><td>18 September</td><td>07:05</td><td>07:52</td><td align="right">47 min</td><td>SW 7, falling barometer</td></tr></tbody></table>
<h3>And what to do about it</h3>
<p>Nothing much. Press <kbd>L</kbd> on the plotter to mark the line, set <code>drift.alarm = 0.4</code>, and wait with the engine off. There is a checklist on the bulkhead:</p>
<ul><li><input type="checkbox" checked> lines coiled</li><li><input type="checkbox" checked> kettle off</li><li><input type="checkbox"> somebody awake</li></ul>
<details><summary>What about fog?</summary><p>Then stay where you are.</p></details>
<hr>
<p>A longhaired colleague of the pilot’s, whose name is Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogoch on his passport and Bob at sea, told me that his grandfather timed it by the smell.</p>
<p dir="rtl" lang="ar">البحر لا يحفظ المواعيد، بل يحفظ العادات.</p>
<p lang="ja">潮は約束を守らない。習慣を守るのだ。</p>
<section class="footnotes"><ol><li id="fn1"><p>To within ten minutes, in settled weather. <a href="#fnref1" class="footnote-backref" aria-label="Back to the text">↩</a></p></li></ol></section>`;

const CODE = `Most of what I need from a queue is that it forgets nothing. Here is one, in TypeScript:

\`\`\`ts
interface Job<T> { id: number; payload: T; dueAt: Date }

/** Claims due jobs. */
export async function* due<T>(db: Database, at: Date): AsyncGenerator<Job<T>> {
  const claim = db.prepare(\`UPDATE jobs SET claimed_at = ? WHERE due_at <= ? RETURNING id, payload\`);
  for (const row of claim.all(at.getTime(), at.getTime() - 30_000)) {
    yield { ...row, payload: JSON.parse(row.payload) as T, dueAt: new Date(row.due_at) }; // a line that is rather longer than the column is wide
  }
}
\`\`\`

The table behind it, and a diff of what went wrong at first:

\`\`\`sql
CREATE TABLE jobs (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, due_at INTEGER NOT NULL); -- milliseconds
\`\`\`

\`\`\`diff
-  setTimeout(run, delay)
+  await db.insert(jobs, { dueAt: at + delay })
\`\`\`

\`\`\`python
def retry(waits: list[float]) -> Iterator[float]:
    """Yields each wait once, then 'gives up'."""
    for number, wait in enumerate(waits, start=1):
        yield wait * (1 + random() / 10)
\`\`\`

| Waits | Attempts | Gives up after |
|:--|--:|--:|
| 5 s, 5 min, 30 min | 4 | 35 min |
| 2 h, 5 h, 10 h | 7 | 17 h |

That is **all** of it; inline \`code\` too.
`;

const SAMPLER = `Notes have marks.[^1] Lists may be mixed:

- bread
- [x] rope
- [ ] tea
  1. black
  2. green

| Left | Right | Middle | Any |
|:--|--:|:-:|---|
| a | 1 | b | *c* |

~~Struck~~, <abbr title="mean sea level">MSL</abbr>, H<sub>2</sub>O, E = mc<sup>2</sup>, <ruby>潮<rt>しお</rt></ruby>.
A line  
and a break.

<iframe src="https://www.youtube-nocookie.com/embed/x" width="560" height="315" allowfullscreen></iframe>

<audio controls src="/media/none.mp3"></audio>

<dl><dt>Neap</dt><dd>The small one.</dd></dl>

<h1>A heading of its own</h1>

<table><tr><td align="center" colspan="2">both</td></tr><tr><td>one</td><td>two</td></tr></table>

[^1]: And they have backs.
`;

const BLOCKS = `<aside class="callout"><p><strong>Take a lamp.</strong> The path has no light.</p></aside>

<div class="bookmark"><p><a href="https://example.org/uri">Uniform Resource Identifier</a></p><p>What names a thing.</p><p><cite>example.org</cite></p></div>

<details><summary>What about fog?</summary><p>Then make tea, and <mark>wait</mark>.</p></details>`;

const ARABIC = `<p>خرجنا قبل الفجر، والماء ساكن كالمرآة. لم يكن في الميناء سوى قارب واحد ورجل يصلح شباكه على مهل، كأن الوقت ملك له وحده.</p>
<blockquote><p>البحر لا يحفظ المواعيد، بل يحفظ العادات.</p></blockquote>
<h2>ما رأيناه في الطريق</h2><ul><li>نوارس فوق الصخور</li><li>منارة قديمة بُنيت عام 1926</li><li>سفينة بعيدة اسمها <bdi>Slow Water</bdi></li></ul>
<p>عدنا عند الظهر، ومعنا رائحة الملح وصور قليلة.</p>`;

const JAPANESE = `<p lang="ja">朝、湯を沸かす。急須を温め、茶葉を入れ、湯を注いで一分待つ。そのあいだ、窓の外では雨が降ったりやんだりしている。「急がなくてよい」と祖母はいつも言っていた。</p>
<blockquote lang="ja"><p>一期一会とは、同じ一杯は二度とないということだ。</p></blockquote>
<p lang="ja">今日の茶は<em>少し</em>渋い。しかし、それもまたよい。</p>`;
