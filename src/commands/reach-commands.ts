import { actorOfBlog, handleOf } from "../fediverse/blog-actors";
import { countFollowers } from "../fediverse/followers";
import { turnFediverseOff, turnFediverseOn } from "../fediverse/switching";
import type { Platen } from "../platen";
import { command } from "./shell/command";
import { ArgumentError } from "./shell/command-errors";
import { blog, json } from "./shell/common-options";
import { withPlaten } from "./shell/data-folder";
import { requireBlog } from "./shell/lookups";
import { print, printList } from "./shell/printing";
import { storedPrivateHosts } from "./shell/server-settings";
import { option } from "./shell/usage";

export const reachShow = command(
  { help: "show how the blog reaches readers", options: { blog, json } },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const found = requireBlog(platen, values.blog);
      const actor = actorOfBlog(platen, found);
      const rows = [
        {
          channel: "fediverse",
          is_on: actor !== undefined,
          address: actor ? handleOf(actor) : null,
          readers: countFollowers(platen, found),
        },
      ];
      await printList(rows, ["channel", "is_on", "address", "readers"], values.json);
    });
  },
);

export const reachSet = command(
  {
    help: "turn a way to reach readers on or off",
    options: { blog, fediverse: option("on|off", "followers on Mastodon and other servers") },
  },
  async ({ values }) => {
    if (values.fediverse === undefined)
      throw new ArgumentError("--fediverse on or --fediverse off is required");
    const isOn = parseSwitch("fediverse", values.fediverse);
    await withPlaten(values.data, async (platen) => {
      const found = requireBlog(platen, values.blog);
      if (isOn) await turnFediverseOn(asServer(platen), found);
      else turnFediverseOff(platen, found);
      await print(`The fediverse is ${values.fediverse} for ${found.slug}.`);
    });
  },
);

/** The server's private hosts decide, not those of this command. */
function asServer(platen: Platen): Platen {
  return { ...platen, config: { ...platen.config, privateHosts: storedPrivateHosts(platen) } };
}

function parseSwitch(name: string, text: string): boolean {
  if (text !== "on" && text !== "off")
    throw new ArgumentError(`--${name} is "${text}"; it must be on or off`);
  return text === "on";
}
