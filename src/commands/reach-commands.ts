import { blogUrl } from "../blogs/permalinks";
import { inTransaction } from "../database/transactions";
import { actorOfBlog, handleOf } from "../fediverse/blog-actors";
import { countFollowers } from "../fediverse/followers";
import { turnFediverseOff, turnFediverseOn } from "../fediverse/switching";
import { changeMentionSettings, hasWebmentions, hubOf, webmentionUrl } from "../mentions/mention-settings";
import { NEWSLETTER_MODES } from "../newsletter/issues";
import { newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
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
  { help: "show newsletter, fediverse, webmention and hub settings", options: { blog, json } },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const found = requireBlog(platen, values.blog);
      const actor = actorOfBlog(platen, found);
      const newsletter = newsletterOf(found);
      const rows = [
        {
          channel: "newsletter",
          is_on: newsletter !== null,
          address: newsletter && `${blogUrl(platen, found)}newsletter`,
          readers: countSubscribers(platen, found, "confirmed"),
        },
        {
          channel: "fediverse",
          is_on: actor !== undefined,
          address: actor ? handleOf(actor) : null,
          readers: countFollowers(platen, found),
        },
        {
          channel: "webmention",
          is_on: hasWebmentions(found),
          address: hasWebmentions(found) ? webmentionUrl(platen, found) : null,
          readers: null,
        },
        { channel: "hub", is_on: hubOf(found) !== null, address: hubOf(found), readers: null },
      ];
      await printList(rows, ["channel", "is_on", "address", "readers"], values.json);
    });
  },
);

export const reachSet = command(
  {
    help: "change newsletter, fediverse, webmention and hub settings",
    options: {
      blog,
      newsletter: option("on|off", "send posts to subscribers by mail"),
      "newsletter-sends": option("WHAT", `${NEWSLETTER_MODES.join(", ")} [each]`),
      fediverse: option("on|off", "followers on Mastodon and other servers"),
      webmention: option("on|off", "mentions from and to other sites"),
      hub: option("URL", "WebSub hub for feeds; empty for none"),
    },
  },
  async ({ values }) => {
    const { newsletter, "newsletter-sends": sends, fediverse, webmention, hub } = values;
    if ([newsletter, sends, fediverse, webmention, hub].every((value) => value === undefined))
      throw new ArgumentError("Nothing to change: name at least one option");
    const changes = { isOn: parseSwitch("newsletter", newsletter), sends };
    const isFediverseOn = parseSwitch("fediverse", fediverse);
    const isMentioning = parseSwitch("webmention", webmention);
    await withPlaten(values.data, async (platen) => {
      const found = requireBlog(platen, values.blog);
      if (newsletter !== undefined || sends !== undefined) {
        const changed = inTransaction(platen, () => setNewsletter(platen, found, changes));
        const settings = newsletterOf(changed);
        await print(
          settings ? `The newsletter is on and sends ${settings.sends}.` : "The newsletter is off.",
        );
      }
      if (isMentioning !== undefined || hub !== undefined) {
        const mentions = { webmention: isMentioning, hub };
        const changed = changeMentionSettings(platen, requireBlog(platen, values.blog), mentions);
        await print(
          `Webmentions are ${hasWebmentions(changed) ? "on" : "off"}; the hub is ${hubOf(changed) ?? "none"}.`,
        );
      }
      if (isFediverseOn === undefined) return;
      if (isFediverseOn) await turnFediverseOn(asServer(platen), requireBlog(platen, values.blog));
      else turnFediverseOff(platen, requireBlog(platen, values.blog));
      await print(`The fediverse is ${fediverse} for ${found.slug}.`);
    });
  },
);

/** The server's private hosts decide, not those of this command. */
function asServer(platen: Platen): Platen {
  return { ...platen, config: { ...platen.config, privateHosts: storedPrivateHosts(platen) } };
}

function parseSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "on" && text !== "off")
    throw new ArgumentError(`--${name} is "${text}"; it must be on or off`);
  return text === "on";
}
