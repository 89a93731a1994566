import { type Blog, blogById, blogsOf, blogUrl } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import { actorOfBlog, handleOf } from "../fediverse/blog-actors";
import { turnFediverseOff, turnFediverseOn } from "../fediverse/fediverse-account";
import { countFollowers, listFollowers, removeFollower } from "../fediverse/followers-and-dead-inboxes";
import { deletePerson, requirePerson } from "../fediverse/remote-actors";
import { blockHost, listBlockedHosts, unblockHost } from "../komments/blocked-words-and-hosts";
import { getRelay } from "../mail/relay-settings";
import { changeMentionSettings, hasWebmentions, hubOf, webmentionUrl } from "../mentions/mention-settings";
import type { NewsletterMode } from "../newsletter/issue-scheduling-and-log";
import { assertRelayWorks, newsletterOf, setNewsletter } from "../newsletter/newsletter-settings";
import { countSubscribers } from "../newsletter/subscribers";
import type { Platen } from "../platen";
import { BLUESKY_SERVER } from "../syndication/bluesky";
import { connectBluesky, connectMastodon, disconnectCopies } from "../syndication/copy-accounts";
import type { ServiceName } from "../syndication/stored-copies";
import { copyAccount, SERVICE_LABELS, SERVICE_NAMES, whyStopped } from "../syndication/stored-copies";
import { findScope, folderCommand, listCommand, requireBlog } from "./shell/command";
import { ArgumentError, CommandError } from "./shell/command-errors";
import { serverHasRelay } from "./shell/data-folder";
import { print, readFirstLine, toRow } from "./shell/terminal";
import { blog, flag, onlyBlog, onOff, option, parsed } from "./shell/usage";

export const reachShow = listCommand(
  { help: "show a blog's channels: newsletter, fediverse, copies", options: { blog } },
  ["channel", "is_on", "address", "readers"],
  (platen, { values }) => {
    const found = requireBlog(platen, values.blog);
    const actor = actorOfBlog(platen, found);
    const row = (
      channel: string,
      address: string | null,
      readers: number | null = null,
      is_on = address !== null,
    ) => ({ channel, is_on, address, readers });
    const newsletter = newsletterOf(found) && `${blogUrl(platen, found)}newsletter`;
    return [
      row("newsletter", newsletter, countSubscribers(platen, found, "confirmed")),
      row("fediverse", actor ? handleOf(actor) : null, countFollowers(platen, found)),
      row("webmention", hasWebmentions(found) ? webmentionUrl(platen, found) : null),
      row("hub", hubOf(found)),
      ...SERVICE_NAMES.map((service) => {
        const account = copyAccount(platen, found, service);
        const isOn = account !== undefined && whyStopped(platen, account) === null;
        return row(service, account?.handle ?? null, null, isOn);
      }),
    ];
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
    if (fediverse === undefined) return undefined;
    if (fediverse) await turnFediverseOn(platen, requireBlog(platen, values.blog));
    else turnFediverseOff(platen, requireBlog(platen, values.blog));
    return `The fediverse is ${fediverse ? "on" : "off"} for ${found.slug}.`;
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

export const followerList = listCommand(
  { help: "list the blog's followers, newest first", options: { blog } },
  ["handle", "name", "actor", "since"],
  (platen, { values }) =>
    listFollowers(platen, requireBlog(platen, values.blog)).map((follower) =>
      toRow(follower, ["actor", "handle", "name", "url", "since"]),
    ),
);

export const followerRemove = folderCommand(
  {
    help: "remove a follower, by handle or address",
    operands: ["FOLLOWER"],
    options: { blog, forget: flag("delete all data about this person, follower or not") },
  },
  (platen, { values, operands: [typed] }) => {
    const found = requireBlog(platen, values.blog);
    if (values.forget) {
      const person = requirePerson(platen, found, typed);
      deletePerson(platen, person, blogsOf(platen, { id: found.accountId }));
      return `Deleted everything about ${person.handle}.`;
    }
    const follower = listFollowers(platen, found).find(
      ({ handle, actor }) => actor === typed || handle === typed || handle === `@${typed}`,
    );
    if (!follower) throw new CommandError(`${typed} does not follow the blog ${found.slug}.`);
    removeFollower(platen, found, follower.id);
    return `Removed ${follower.handle}.`;
  },
);

const hostCommand = (help: string, work: (platen: Platen, blog: Blog | undefined, host: string) => string) =>
  folderCommand(
    { help, operands: ["HOST"], options: { blog: onlyBlog } },
    (platen, { values, operands: [host] }) => work(platen, findScope(platen, values.blog), host),
  );

export const hostBlock = hostCommand(
  "block a fediverse server or a website",
  (platen, scope, host) => `Blocked ${blockHost(platen, scope, host)}.`,
);

export const hostUnblock = hostCommand("unblock a fediverse server or a website", (platen, scope, host) => {
  unblockHost(platen, scope, host);
  return `Unblocked ${host}.`;
});

export const hostList = listCommand(
  { help: "list blocked servers and websites", options: { blog: onlyBlog } },
  ["host", "blog", "created_at"],
  (platen, { values }) =>
    listBlockedHosts(platen, findScope(platen, values.blog)).map(({ blogId, ...block }) => ({
      ...toRow(block, ["host", "createdAt"]),
      blog: blogById(platen, blogId)?.slug ?? null,
    })),
);
