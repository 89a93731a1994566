import { openDatabase } from "../../src/database/open";
import { picture, uploadForm } from "../support/pictures";
import { copierOf, type TestPlaten } from "../support/platen";
import { atEnd } from "../support/temporary";
import { startTransfer } from "./start-transfer";

let startCopy: (() => TestPlaten) | null = null;
atEnd(() => {
  startCopy = null;
});

/** A blog with all kinds of data, filled once per test file; see startMoving. */
export async function startFullGarden() {
  if (startCopy === null) {
    await using filled = await startTransfer();
    await fill(filled);
    startCopy = copierOf(filled.at);
  }
  return await startTransfer({ at: startCopy() });
}

/** Fills it with requests. */
async function fill(at: Awaited<ReturnType<typeof startTransfer>>): Promise<void> {
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>, caption = "") => {
    const body = uploadForm(bytes, name, caption === "" ? {} : { "attachment[caption]": caption });
    const headers = { authorization: `Bearer ${at.key}` };
    const sent = await fetch(`${at.url}/api/v1/attachments`, { method: "POST", headers, body });
    return (await sent.json()).attachment as { html: string; filename: string };
  };
  const cat = await upload("cat (1).jpg", await picture(900, 600));
  const leaf = await upload("leaf.png", await picture(60, 40, "png"), 'A `leaf` [green] "flat"');
  const film = await upload("film.mp4", FILM);
  const post = async (fields: Record<string, unknown>) =>
    (await at.api("/posts", "POST", { post: fields })).post;

  const withCaption = cat.html.replace('caption=""', 'caption="My &quot;cat&quot; (one) `x`"');
  const tea = await post({
    title: "Tea: \"green\" & 'black' # 1",
    content_type: "markdown",
    content: `# A heading first\n\nText with {{< figure src="x" >}} and \`code\`.\n\n${withCaption}\n\nMore.\n\n${film.html}\n\n![elsewhere](https://pictures.example/far.jpg)\n`,
    status: "published",
    published_at: "2019-03-02T07:00:00Z",
    category: "Kitchen, home",
    tags: ["2024", "a, b", "Tea"],
    alt_text: { [cat.filename]: "A cat [asleep]", [film.filename]: "" },
    meta: { hide_in_rss: true, is_shared: true },
  });
  await at.api(`/posts/${tea.id}`, "PATCH", { post: { slug: "green-tea" } });
  await post({
    title: "In HTML",
    content: `<p>One &lt;b&gt; <b>two</b>.</p>${leaf.html}<p>After</p>`,
    status: "archived",
    meta: { skip_archive: true, no_index_no_follow: true },
  });
  await post({
    title: "A draft",
    content_type: "markdown",
    content: "Not yet.\n\n---\n\nEnd",
    status: "draft",
  });
  await post({
    title: "",
    content: "<p>Without a title</p>",
    status: "published",
    published_at: "2030-01-01T00:00:00Z",
  });
  await post({
    title: "About",
    type: "page",
    content: "<p>Me</p>",
    status: "published",
    slug: "about",
    meta: { show_contact_form: true, komments_disabled: true },
  });
  const gone = await post({ title: "In the trash", content: "<p>Old</p>", status: "draft", slug: "about" });
  await at.api(`/posts/${gone.id}`, "DELETE");
  fillTables(at.data, tea.id);
}

/** The smallest file that is detected as a video. */
const FILM = new Uint8Array(
  Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from("ftypisom\0\0\0\0"), Buffer.alloc(600)]),
);

/** Inserts rows that readers cause, with times of their own. */
function fillTables(data: string, postId: number): void {
  const db = openDatabase(data);
  const now = Date.parse("2024-05-01T10:00:00Z");
  db.$client.run(
    `INSERT INTO komments (blog_id, post_id, status, name, address, source, html, created_at, edit_hash, answer, answer_html, answered_at)
     SELECT blog_id, id, 'shown', 'Jun', 'jun@example.com', 'Very *good*.', '<p>Very <em>good</em>.</p>', ?1, 'SECRET-hash-1', 'Thanks!', '<p>Thanks!</p>', ?1 + 1000 FROM posts WHERE id = ?2`,
    [now, postId],
  );
  db.$client.run(
    `INSERT INTO komments (blog_id, post_id, status, name, source, html, created_at, edit_hash)
     SELECT blog_id, id, 'waiting', 'Bo', 'Hm.', '<p>Hm.</p>', ?1, 'SECRET-hash-2' FROM posts WHERE id = ?2`,
    [now + 5000, postId],
  );
  db.$client.run(
    `INSERT INTO messages (blog_id, post_id, name, address, text, created_at, status)
     SELECT blog_id, id, 'Kim', 'kim@example.com', 'Hello there', ?1, 'read' FROM posts WHERE slug = 'about'`,
    [now],
  );
  db.$client.run("UPDATE blogs SET webhook_secret = 'whsec_SECRET', former_secret = 'whsec_SECRET2'");
  db.$client.close();
}
