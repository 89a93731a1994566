import type { Blog } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import { inTransaction } from "../database/transactions";
import { actorOfBlog, handleOf } from "../fediverse/blog-actors";
import { turnFediverseOff, turnFediverseOn } from "../fediverse/fediverse-account";
import { countFollowers } from "../fediverse/followers";
import { getRelay } from "../mail/relay-settings";
import { changeMentionSettings, hasWebmentions, hubOf, webmentionUrl } from "../mentions/mention-settings";
import type { NewsletterMode } from "../newsletter/issues";
import { assertRelayWorks, newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
import type { Platen } from "../platen";
import { BLUESKY_SERVER } from "../syndication/bluesky";
import { connectBluesky, connectMastodon, disconnectCopies } from "../syndication/copy-accounts";
import {
  copyAccount,
  SERVICE_LABELS,
  SERVICE_NAMES,
  type ServiceName,
  whyStopped,
} from "../syndication/stored-copies";
import { folderCommand } from "./shell/command";
import { ArgumentError } from "./shell/command-errors";
import { requireBlog } from "./shell/lookups";
import { readFirstLine } from "./shell/password-input";
import { print, printList } from "./shell/printing";
import { serverHasRelay } from "./shell/server-settings";
import { blog, flag, json, onOff, option, parsed } from "./shell/usage";

export const reachShow = folderCommand(
  { help: "show a blog's channels: newsletter, fediverse, copies", options: { blog, json } },
  async (platen, { values }) => {
    const found = requireBlog(platen, values.blog);
    const actor = actorOfBlog(platen, found);
    const isNewsletterOn = newsletterOf(found) !== null;
    const subscribers = countSubscribers(platen, found, "confirmed");
    const mentions = hasWebmentions(found);
    const row = (channel: string, is_on: boolean, address: string | null, readers: number | null = null) => ({
      ...{ channel, is_on, address, readers },
    });
    const rows = [
      row(
        "newsletter",
        isNewsletterOn,
        isNewsletterOn ? `${blogUrl(platen, found)}newsletter` : null,
        subscribers,
      ),
      row("fediverse", actor !== undefined, actor ? handleOf(actor) : null, countFollowers(platen, found)),
      row("webmention", mentions, mentions ? webmentionUrl(platen, found) : null),
      row("hub", hubOf(found) !== null, hubOf(found)),
      ...SERVICE_NAMES.map((service) => {
        const account = copyAccount(platen, found, service);
        const isOn = account !== undefined && whyStopped(platen, account) === null;
        return row(service, isOn, account?.handle ?? null);
      }),
    ];
    await printList(rows, ["channel", "is_on", "address", "readers"], values.json);
  },
);

export const reachSet = folderCommand(
  {
    help: "turn a blog's channels on or off",
    options: {
      blog,
      newsletter: parsed("on|off", "send posts to subscribers by mail", onOff()),
      "newsletter-sends": option("MODE", "each (every post), ticked (selected) or weekly [each]"),
      fediverse: parsed("on|off", "let people on Mastodon and other servers follow the blog", onOff()),
      webmention: parsed("on|off", "send and accept webmentions", onOff()),
      hub: option("URL", 'WebSub hub for feeds; "" removes the hub'),
      bluesky: option("HANDLE", 'Bluesky account that gets copies of posts; "" disconnects'),
      "bluesky-service": option("URL", `Bluesky server, if not ${BLUESKY_SERVER}`),
      "password-stdin": flag("read Bluesky's app password from standard input"),
      mastodon: option("URL", 'Mastodon server that gets copies of posts; "" disconnects'),
      "token-stdin": flag("read Mastodon's token from standard input"),
    },
  },
  async (platen, { values }) => {
    const { newsletter, "newsletter-sends": sends, fediverse, webmention, hub, bluesky, mastodon } = values;
    const changed = [newsletter, sends, fediverse, webmention, hub, bluesky, mastodon];
    if (changed.every((value) => value === undefined))
      throw new ArgumentError("Nothing to change: pass at least one option");
    if (bluesky && mastodon)
      throw new ArgumentError("Connect one service at a time, because each reads standard input");
    if (bluesky && !values["password-stdin"]) throw new ArgumentError("--bluesky needs --password-stdin");
    if (mastodon && !values["token-stdin"]) throw new ArgumentError("--mastodon needs --token-stdin");
    const secret = bluesky || mastodon ? await readFirstLine() : "";
    const found = requireBlog(platen, values.blog);
    if (newsletter !== undefined || sends !== undefined) {
      await checkRelay(platen, found, newsletter);
      const settings = newsletterOf(
        inTransaction(platen, () => setNewsletter(platen, found, { isOn: newsletter, sends })),
      );
      const state = settings ? `on and sends ${MAILED_POSTS[settings.sends]}` : "off";
      await print(`The newsletter is ${state}.`);
    }
    if (webmention !== undefined || hub !== undefined) {
      const changed = changeMentionSettings(platen, requireBlog(platen, values.blog), { webmention, hub });
      const state = hasWebmentions(changed) ? "on" : "off";
      await print(`Webmentions are ${state}; the hub is ${hubOf(changed) ?? "none"}.`);
    }
    if (bluesky) {
      const server = values["bluesky-service"] ?? "";
      await connectBluesky(platen, found, { handle: bluesky, server, password: secret });
    }
    if (mastodon) await connectMastodon(platen, found, { server: mastodon, token: secret });
    for (const [service, value] of Object.entries({ bluesky, mastodon }) as [ServiceName, string?][]) {
      if (value === "") disconnectCopies(platen, found, service);
      if (value !== undefined) await print(copiesSentence(platen, found, service));
    }
    if (fediverse === undefined) return;
    if (fediverse) await turnFediverseOn(platen, requireBlog(platen, values.blog));
    else turnFediverseOff(platen, requireBlog(platen, values.blog));
    await print(`The fediverse is ${fediverse ? "on" : "off"} for ${found.slug}.`);
  },
);

const MAILED_POSTS: Record<NewsletterMode, string> = {
  each: "each post",
  ticked: "selected posts",
  weekly: "a weekly digest",
};

function copiesSentence(platen: Platen, found: Blog, service: ServiceName): string {
  const account = copyAccount(platen, found, service);
  const place = SERVICE_LABELS[service];
  return account ? `New posts are copied to ${account.handle} on ${place}.` : `Disconnected ${place}.`;
}

/**
 * Skips the test if the relay may be set only in the server's environment, which this command cannot read.
 */
async function checkRelay(platen: Platen, found: Blog, isOn: boolean | undefined): Promise<void> {
  if (getRelay(platen) || serverHasRelay(platen) === false) await assertRelayWorks(platen, found, isOn);
  else if (isOn)
    platen.log(
      "Warning: the relay was not tested, because its settings are only in the server's environment. Test the relay in the admin.",
    );
}
