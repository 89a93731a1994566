import { expect, test } from "bun:test";
import { addWebhook } from "../../src/webhooks/webhook-urls";
import { picture } from "../support/pictures";
import { type Endpoint, startEndpoint } from "./endpoint";

const CARD = { type: ["h-card"], properties: { name: ["Bob"], url: ["https://bob.example/"] } };

const photo = async (at: Endpoint) =>
  (
    await at.multipart(
      [
        ["file", new File([await picture()], "cat.jpg")],
        ["alt", "Caption"],
      ],
      "/micropub/media",
    )
  ).location;

const written: [string, (at: Endpoint) => Promise<Record<string, unknown>> | Record<string, unknown>][] = [
  ["a note in Markdown", () => ({ content: ["A *note* with ```code``` and <b>HTML</b>\r\n\r\n- 1\n"] })],
  ["an article in HTML", () => ({ name: ["Title"], content: [{ html: "<p>A <b>b</b> &amp; c</p>" }] })],
  ["a draft without a time", () => ({ content: ["a"], "post-status": ["draft"] })],
  ["a scheduled post", () => ({ content: ["a"], published: ["2027-01-01T09:30:15.250+02:00"] })],
  ["an unlisted page", () => ({ name: ["a"], visibility: ["unlisted"], "mp-channel": ["pages"] })],
  ["categories and a person", () => ({ content: ["a"], category: ["One", CARD, "two", "THREE"] })],
  [
    "a photo with alt text",
    async (at) => ({ content: ["a"], photo: [{ value: await photo(at), alt: 'é "x"' }] }),
  ],
  ["a photo without alt text", async (at) => ({ photo: [await photo(at)] })],
  ["a decorative photo", async (at) => ({ photo: [{ value: await photo(at), alt: "" }] })],
  [
    "a photo that is a link",
    () => ({ content: ["a"], photo: [{ value: "http://10.0.0.5/x.jpg", alt: "y" }] }),
  ],
  ["a like", () => ({ "like-of": ["https://example.org/1"] })],
  [
    "a reply to an h-cite",
    () => ({
      content: ["Yes"],
      "in-reply-to": [{ type: ["h-cite"], properties: { name: ["N"], url: ["https://example.org/"] } }],
    }),
  ],
  ["a check-in", () => ({ checkin: [CARD], location: ["geo:52.1,4.3;u=10;name=Home"], rsvp: ["yes"] })],
  [
    "unknown nested properties",
    () => ({
      content: ["a"],
      "x-weight": [{ type: ["h-measure"], properties: { num: [70.64] } }],
      n: [0, false, [1, [2]], {}],
    }),
  ],
  [
    "emoji and special characters",
    () => ({ name: ["🎉 <&> \u202e"], content: ["👩‍👩‍👧 \u00a0 \u2028"], mood: ["🦄"] }),
  ],
];

test.each(written)(
  "%s sent back by replace changes nothing and sends no event",
  async (_what, properties) => {
    const at = startEndpoint();
    addWebhook(at.platen, at.blog, "https://hooks.example/");
    const { status, location } = await at.create(await properties(at));
    expect(status).toBe(201);
    const source = await at.source(location);
    const countEvents = () => at.platen.db.$client.query("SELECT count(*) AS n FROM events").get();
    const atFirst = countEvents();
    const before = (await at.api("GET", "/posts?status=all&include_content=true")).body;
    at.pass(1000);
    const { "like-of": _l, ...rest } = source;
    for (const replace of [source, rest]) {
      const response = await at.json({ action: "update", url: location, replace });
      expect(response.status).toBe(204);
    }
    expect(await at.source(location)).toEqual(source);
    expect(countEvents()).toEqual(atFirst);
    const after = (await at.api("GET", "/posts?status=all&include_content=true")).body;
    expect(after).toEqual(before);
    expect(at.platen.db.$client.query("SELECT count(*) AS n FROM revisions").get()).toEqual({ n: 0 });
  },
);

test.each(written)("%s is returned as it was sent", async (_what, make) => {
  const at = startEndpoint();
  const properties = await make(at);
  const { location } = await at.create(properties);
  const source = await at.source(location);
  const { published, category, "mp-channel": _channel, ...same } = properties;
  expect(source).toMatchObject(same);
  if (published)
    expect(Date.parse(source.published[0])).toBe(Date.parse((published as string[])[0] as string));
  if (category) expect(source.category).toEqual(["One", "two", "THREE", CARD]);
});

test("Markdown that is edited without changing the HTML is stored as it was typed", async () => {
  const at = startEndpoint();
  const { location } = await at.create({ content: ["A *word*"] });
  await at.json({ action: "update", url: location, replace: { content: ["A _word_"] } });
  expect((await at.source(location)).content).toEqual(["A _word_"]);
});

const sentToTheApi: [string, Record<string, unknown>][] = [
  [
    "archived, hidden, with a category and tags",
    { status: "archived", category: "C", tags: ["x"], meta: { hidden: true } },
  ],
  ["with tags and no category", { status: "published", tags: ["aa", "bb"] }],
];

test.each(sentToTheApi)("a post of the JSON API also stays unchanged: %s", async (_what, fields) => {
  const at = startEndpoint();
  addWebhook(at.platen, at.blog, "https://hooks.example/");
  const { body } = await at.api("POST", "/posts", { post: { title: "T", content: "<p>a</p>", ...fields } });
  const source = await at.source(body.post.url);
  expect(source["post-status"]).toEqual([fields.status]);
  const countEvents = () => at.platen.db.$client.query("SELECT count(*) AS n FROM events").get();
  const atFirst = countEvents();
  at.pass(1000);
  expect((await at.json({ action: "update", url: body.post.url, replace: source })).status).toBe(204);
  expect((await at.api("GET", `/posts/${body.post.id}`)).body).toEqual(body);
  expect(countEvents()).toEqual(atFirst);
});

test("tags of a post without a category stay tags if another property is replaced", async () => {
  const at = startEndpoint();
  const { body } = await at.api("POST", "/posts", { post: { title: "T", tags: ["aa", "bb"] } });
  const { category } = await at.source(body.post.url);
  await at.json({ action: "update", url: body.post.url, replace: { name: ["New"], category } });
  const { post } = (await at.api("GET", `/posts/${body.post.id}`)).body;
  expect(post).toMatchObject({ title: "New", category: null, tags: ["aa", "bb"] });
});
