import { describe, expect, test } from "bun:test";
import { type Action, parseAction } from "../../src/micropub/parsing-actions";

const inForm = (text: string) => parseAction({ form: [...new URLSearchParams(text)] });
const inJson = (json: unknown) => parseAction({ json });
const create = (properties: Record<string, unknown[]>, commands: Record<string, unknown[]> = {}): Action => ({
  action: "create",
  properties,
  commands,
});

describe("a form body", () => {
  test.each([
    ["a single value becomes a list of one", "content=a", create({ content: ["a"] })],
    ["a repeated name becomes a list", "category=a&category=b", create({ category: ["a", "b"] })],
    ["a name with brackets becomes a list", "category[]=a&category[]=b", create({ category: ["a", "b"] })],
    ["a name with escaped brackets becomes a list", "category%5B%5D=a", create({ category: ["a"] })],
    [
      "a name with numbered brackets, as in PHP, becomes a list",
      "category[0]=a&category[1]=b",
      create({ category: ["a", "b"] }),
    ],
    ["HTML content", "content[html]=<b>a</b>", create({ content: [{ html: "<b>a</b>" }] })],
    [
      "photos with alt text",
      "photo[0][value]=a&photo[0][alt]=b&photo[1][value]=c",
      create({ photo: [{ value: "a", alt: "b" }, { value: "c" }] }),
    ],
    [
      "h, url and other parameters are not properties",
      "h=entry&url=x&q=y&content=a",
      create({ content: ["a"] }),
    ],
    [
      "mp-slug and blog_id are commands, not properties",
      "content=a&mp-slug=b&blog_id=1",
      create({ content: ["a"] }, { "mp-slug": ["b"], blog_id: ["1"] }),
    ],
    [
      "__proto__ and constructor are ordinary names",
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
    ["a deletion without a URL", "action=delete"],
  ])("%s is rejected", (_what, sent) => expect(() => inForm(sent)).toThrow());
});

describe("a JSON body", () => {
  test.each([
    [
      "properties are lists of values",
      { type: ["h-entry"], properties: { content: ["a"] } },
      create({ content: ["a"] }),
    ],
    [
      "a single value becomes a list of one",
      { properties: { "like-of": "http://x/", "mp-slug": "a" } },
      create({ "like-of": ["http://x/"] }, { "mp-slug": ["a"] }),
    ],
    [
      "null values are dropped",
      { properties: { name: null, content: ["a", null] } },
      create({ name: [], content: ["a"] }),
    ],
    [
      "commands next to the type are read",
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
      "an update that deletes properties by name, with an empty replace",
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
    ["an update without operations", { action: "update", url: "http://x/" }],
    ["an update without a URL", { action: "update", replace: {} }],
    ["replace as text", { action: "update", url: "http://x/", replace: "a" }],
    ["replace as a list", { action: "update", url: "http://x/", replace: ["a"] }],
    ["add as text", { action: "update", url: "http://x/", add: "a" }],
    ["delete as text", { action: "update", url: "http://x/", delete: "a" }],
    ["delete with values that are no names", { action: "update", url: "http://x/", delete: [{}] }],
    ["an action that is an object with toString", { action: { toString: "x" } }],
    ["a type that is an object with toString", { type: [{ toString: "x" }], properties: {} }],
    ["a URL that is a number", { action: "delete", url: 7 }],
  ])("%s is rejected", (_what, sent) => expect(() => inJson(sent)).toThrow());
});
