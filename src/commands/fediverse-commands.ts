import { type Blog, blogById, blogsOf } from "../blogs/blogs";
import { listFollowers, removeFollower } from "../fediverse/followers";
import { forgetPerson, requirePerson } from "../fediverse/remote-actors";
import { blockHost, listBlockedHosts, unblockHost } from "../komments/blocking";
import type { Platen } from "../platen";
import { folderCommand } from "./shell/command";
import { CommandError } from "./shell/command-errors";
import { findScope, requireBlog } from "./shell/lookups";
import { print, printList, toRow } from "./shell/printing";
import { blog, flag, json, onlyBlog } from "./shell/usage";

export const followerList = folderCommand(
  { help: "list the blog's followers, newest first", options: { blog, json } },
  async (platen, { values }) => {
    const rows = listFollowers(platen, requireBlog(platen, values.blog)).map((follower) =>
      toRow(follower, ["actor", "handle", "name", "url", "since"]),
    );
    await printList(rows, ["handle", "name", "actor", "since"], values.json);
  },
);

export const followerRemove = folderCommand(
  {
    help: "remove a follower, by handle or address",
    operands: ["FOLLOWER"],
    options: { blog, forget: flag("delete all data about this person, follower or not") },
  },
  async (platen, { values, operands: [typed] }) => {
    const found = requireBlog(platen, values.blog);
    if (values.forget) {
      const person = requirePerson(platen, found, typed);
      forgetPerson(platen, blogsOf(platen, { id: found.accountId }), person);
      await print(`Deleted everything about ${person.handle}.`);
      return;
    }
    const follower = listFollowers(platen, found).find(
      ({ handle, actor }) => actor === typed || handle === typed || handle === `@${typed}`,
    );
    if (!follower) throw new CommandError(`${typed} does not follow the blog ${found.slug}.`);
    removeFollower(platen, found, follower.id);
    await print(`Removed ${follower.handle}.`);
  },
);

const hostCommand = (help: string, work: (platen: Platen, blog: Blog | undefined, host: string) => string) =>
  folderCommand(
    { help, operands: ["HOST"], options: { blog: onlyBlog } },
    async (platen, { values, operands: [host] }) => {
      await print(work(platen, findScope(platen, values.blog), host));
    },
  );

export const hostBlock = hostCommand(
  "block a fediverse server or a website",
  (platen, scope, host) => `Blocked ${blockHost(platen, scope, host)}.`,
);

export const hostUnblock = hostCommand("unblock a fediverse server or a website", (platen, scope, host) => {
  unblockHost(platen, scope, host);
  return `Unblocked ${host}.`;
});

export const hostList = folderCommand(
  { help: "list blocked servers and websites", options: { blog: onlyBlog, json } },
  async (platen, { values }) => {
    const scope = findScope(platen, values.blog);
    const rows = listBlockedHosts(platen, scope).map(({ blogId, ...block }) => ({
      ...toRow(block, ["host", "createdAt"]),
      blog: blogById(platen, blogId)?.slug ?? null,
    }));
    await printList(rows, ["host", "blog", "created_at"], values.json);
  },
);
