import { describe, expect, test } from "bun:test";
import { type Action, parseAction } from "../../src/micropub/requests/parsed-request";

const inForm = (text: string) => parseAction({ form: [...new URLSearchParams(text)] });
const inJson = (json: unknown) => parseAction({ json });
const create = (properties: Record<string, unknown[]>, commands: Record<string, unknown[]> = {}): Action => ({
  action: "create",
  properties,
  commands,
});

describe("a form", () => {
  test.each([
    ["a value is a list of one", "content=a", create({ content: ["a"] })],
    ["a name may be repeated", "category=a&category=b", create({ category: ["a", "b"] })],
    ["brackets mean a list", "category[]=a&category[]=b", create({ category: ["a", "b"] })],
    ["escaped brackets do too", "category%5B%5D=a", create({ category: ["a"] })],
    ["PHP numbers its lists", "category[0]=a&category[1]=b", create({ category: ["a", "b"] })],
    ["HTML content", "content[html]=<b>a</b>", create({ content: [{ html: "<b>a</b>" }] })],
    [
      "photos with alt text",
      "photo[0][value]=a&photo[0][alt]=b&photo[1][value]=c",
      create({ photo: [{ value: "a", alt: "b" }, { value: "c" }] }),
    ],
    ["h, url and the like are no properties", "h=entry&url=x&q=y&content=a", create({ content: ["a"] })],
    [
      "commands are apart",
      "content=a&mp-slug=b&blog_id=1",
      create({ content: ["a"] }, { "mp-slug": ["b"], blog_id: ["1"] }),
    ],
    [
      "no name is special to JavaScript",
      "__proto__=a&constructor=b",
      create(JSON.parse('{"__proto__":["a"],"constructor":["b"]}')),
    ],
    [
      "deletion",
      "action=delete&url=http://x/",
      { action: "delete", url: "http://x/", commands: {} } as Action,
    ],
  ])("%s", (_what, sent, asked) => expect(inForm(sent)).toEqual(asked));

  test.each([
    ["another kind of thing", "h=event&name=a"],
    ["an update", "action=update&url=http://x/"],
    ["an unknown action", "action=explode&url=http://x/"],
    ["a deletion of nothing", "action=delete"],
  ])("%s is refused", (_what, sent) => expect(() => inForm(sent)).toThrow());
});

describe("JSON", () => {
  test.each([
    [
      "properties are lists",
      { type: ["h-entry"], properties: { content: ["a"] } },
      create({ content: ["a"] }),
    ],
    [
      "a bare value is a list of one",
      { properties: { "like-of": "http://x/", "mp-slug": "a" } },
      create({ "like-of": ["http://x/"] }, { "mp-slug": ["a"] }),
    ],
    [
      "null is nothing",
      { properties: { name: null, content: ["a", null] } },
      create({ name: [], content: ["a"] }),
    ],
    [
      "commands beside the type count",
      { type: "h-entry", "mp-destination": "http://x/", properties: { content: ["a"] } },
      create({ content: ["a"] }, { "mp-destination": ["http://x/"] }),
    ],
    [
      "an update",
      {
        action: "update",
        url: "http://x/",
        replace: { content: ["a"], "mp-slug": ["s"] },
        add: { category: "b" },
        delete: { category: ["c"] },
      },
      {
        action: "update",
        url: "http://x/",
        operations: {
          replace: { content: ["a"] },
          add: { category: ["b"] },
          remove: { category: ["c"] },
          removeAll: [],
        },
        commands: { "mp-slug": ["s"] },
      } as Action,
    ],
    [
      "properties to take out, by name; an empty replace beside it",
      { action: "update", url: "http://x/", replace: {}, delete: ["category"] },
      {
        action: "update",
        url: "http://x/",
        operations: { replace: {}, add: {}, remove: {}, removeAll: ["category"] },
        commands: {},
      } as Action,
    ],
  ])("%s", (_what, sent, asked) => expect(inJson(sent)).toEqual(asked));

  test.each([
    ["a list", []],
    ["a text", "a"],
    ["null", null],
    ["no properties", { type: ["h-entry"] }],
    ["properties that are a list", { properties: [] }],
    ["an event", { type: ["h-event"], properties: {} }],
    ["an update of nothing", { action: "update", url: "http://x/" }],
    ["an update without an address", { action: "update", replace: {} }],
    ["replace as text", { action: "update", url: "http://x/", replace: "a" }],
    ["replace as a list", { action: "update", url: "http://x/", replace: ["a"] }],
    ["add as text", { action: "update", url: "http://x/", add: "a" }],
    ["delete as text", { action: "update", url: "http://x/", delete: "a" }],
    ["delete of things without names", { action: "update", url: "http://x/", delete: [{}] }],
    ["an action with a toString of its own", { action: { toString: "x" } }],
    ["a type with one", { type: [{ toString: "x" }], properties: {} }],
    ["an address that is a number", { action: "delete", url: 7 }],
  ])("%s is refused", (_what, sent) => expect(() => inJson(sent)).toThrow());
});
