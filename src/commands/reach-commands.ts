import type { Blog } from "../blogs/blogs";
import { blogUrl } from "../blogs/permalinks";
import { inTransaction } from "../database/transactions";
import { actorOfBlog, handleOf } from "../fediverse/blog-actors";
import { countFollowers } from "../fediverse/followers";
import { turnFediverseOff, turnFediverseOn } from "../fediverse/turning-on-and-off";
import { getRelay } from "../mail/relay-settings";
import { changeMentionSettings, hasWebmentions, hubOf, webmentionUrl } from "../mentions/mention-settings";
import type { NewsletterMode } from "../newsletter/issue-scheduling";
import { newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
import { assertRelayWorks } from "../newsletter/test-mails";
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
import { command, folderCommand } from "./shell/command";
import { ArgumentError } from "./shell/command-errors";
import { withPlaten } from "./shell/data-folder";
import { parseSwitch, requireBlog } from "./shell/lookups";
import { readFirstLine } from "./shell/password-input";
import { print, printList } from "./shell/printing";
import { serverHasRelay } from "./shell/server-settings";
import { blog, flag, json, option } from "./shell/usage";

export const reachShow = folderCommand(
  { help: "show a blog's channels: newsletter, fediverse, copies", options: { blog, json } },
  async (platen, { values }) => {
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
      ...SERVICE_NAMES.map((channel) => {
        const account = copyAccount(platen, found, channel);
        const isOn = account !== undefined && whyStopped(platen, account) === null;
        return { channel, is_on: isOn, address: account?.handle ?? null, readers: null };
      }),
    ];
    await printList(rows, ["channel", "is_on", "address", "readers"], values.json);
  },
);

export const reachSet = command(
  {
    help: "turn a blog's channels on or off",
    options: {
      blog,
      newsletter: option("on|off", "send posts to subscribers by mail"),
      "newsletter-sends": option("MODE", "each (every post), ticked (selected) or weekly [each]"),
      fediverse: option("on|off", "let people on Mastodon and other servers follow the blog"),
      webmention: option("on|off", "send and accept webmentions"),
      hub: option("URL", 'WebSub hub for feeds; "" removes the hub'),
      bluesky: option("HANDLE", 'Bluesky account that gets copies of posts; "" disconnects'),
      "bluesky-service": option("URL", `Bluesky server, if not ${BLUESKY_SERVER}`),
      "password-stdin": flag("read Bluesky's app password from standard input"),
      mastodon: option("URL", 'Mastodon server that gets copies of posts; "" disconnects'),
      "token-stdin": flag("read Mastodon's token from standard input"),
    },
  },
  async ({ values }) => {
    const { newsletter, "newsletter-sends": sends, fediverse, webmention, hub, bluesky, mastodon } = values;
    const changed = [newsletter, sends, fediverse, webmention, hub, bluesky, mastodon];
    if (changed.every((value) => value === undefined))
      throw new ArgumentError("Nothing to change: pass at least one option");
    const changes = { isOn: parseSwitch("newsletter", newsletter), sends };
    const isFediverseOn = parseSwitch("fediverse", fediverse);
    const isWebmentionOn = parseSwitch("webmention", webmention);
    if (bluesky && mastodon)
      throw new ArgumentError("Connect one service at a time, because each reads standard input");
    if (bluesky && !values["password-stdin"]) throw new ArgumentError("--bluesky needs --password-stdin");
    if (mastodon && !values["token-stdin"]) throw new ArgumentError("--mastodon needs --token-stdin");
    const secret = bluesky || mastodon ? await readFirstLine() : "";
    await withPlaten(values.data, async (platen) => {
      const found = requireBlog(platen, values.blog);
      if (newsletter !== undefined || sends !== undefined) {
        await checkRelay(platen, found, changes.isOn);
        const changed = inTransaction(platen, () => setNewsletter(platen, found, changes));
        const settings = newsletterOf(changed);
        await print(
          settings
            ? `The newsletter is on and sends ${MAILED_POSTS[settings.sends]}.`
            : "The newsletter is off.",
        );
      }
      if (isWebmentionOn !== undefined || hub !== undefined) {
        const mentions = { webmention: isWebmentionOn, hub };
        const changed = changeMentionSettings(platen, requireBlog(platen, values.blog), mentions);
        await print(
          `Webmentions are ${hasWebmentions(changed) ? "on" : "off"}; the hub is ${hubOf(changed) ?? "none"}.`,
        );
      }
      if (bluesky !== undefined) {
        const account = { handle: bluesky, server: values["bluesky-service"] ?? "", password: secret };
        if (bluesky === "") disconnectCopies(platen, found, "bluesky");
        else await connectBluesky(platen, found, account);
      }
      if (mastodon !== undefined) {
        if (mastodon === "") disconnectCopies(platen, found, "mastodon");
        else await connectMastodon(platen, found, { server: mastodon, token: secret });
      }
      for (const [service, value] of [
        ["bluesky", bluesky],
        ["mastodon", mastodon],
      ] as const)
        if (value !== undefined) await print(copiesSentence(platen, found, service));
      if (isFediverseOn === undefined) return;
      if (isFediverseOn) await turnFediverseOn(platen, requireBlog(platen, values.blog));
      else turnFediverseOff(platen, requireBlog(platen, values.blog));
      await print(`The fediverse is ${fediverse} for ${found.slug}.`);
    });
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
