import type { Command, CommandGroups } from "./shell/command";

const readers = () => import("./komment-and-message-commands");
const fediverse = () => import("./fediverse-commands");
const recovery = () => import("./recovery-commands");

/** Help lists commands in this order. Each file is loaded on demand. */
export const COMMAND_GROUPS: CommandGroups = {
  Serve: {
    serve: async () => (await import("./instance/serve-command")).default,
    setup: async () => (await import("./setup-command")).setup,
    demo: async () => (await import("./demo/demo-command")).default,
  },
  Blogs: {
    ...commandsOf("blog", "add set remove list", () => import("./blog-commands")),
    ...commandsOf("topic", "rename merge delete", () => import("./topic-commands")),
    ...commandsOf("media", "move", () => import("./media-move-command")),
  },
  Accounts: {
    ...commandsOf(
      "account",
      "add invite set password two-factor disable enable remove list",
      () => import("./account-commands"),
    ),
    ...commandsOf("key", "add list revoke", () => import("./key-commands")),
  },
  Readers: {
    ...commandsOf("komment", "list approve reject reply blocked delete", readers),
    ...commandsOf("message", "list delete", readers),
    ...commandsOf("reach", "show set", () => import("./reach-commands")),
    ...commandsOf("follower", "list remove", fediverse),
    ...commandsOf("host", "block unblock list", fediverse),
    ...commandsOf("subscriber", "list add remove import export", () => import("./subscriber-commands")),
    ...commandsOf("mail", "test", () => import("./mail-command")),
  },
  Webhooks: commandsOf(
    "webhook",
    "add remove pause resume enable test rotate-secret list log redeliver",
    () => import("./webhook-commands"),
  ),
  "Import/Export": {
    import: async () => (await import("./import-command")).importBlog,
    ...commandsOf("import", "list undo", () => import("./import-command")),
    export: async () => (await import("./export-command")).exportCommand,
  },
  Backup: {
    backup: async () => (await import("./backup-command")).backup,
    restore: async () => (await import("./restore-command")).restore,
    snapshot: async () => (await recovery()).snapshot,
    recover: async () => (await recovery()).recover,
    rollback: async () => (await recovery()).rollback,
  },
  Maintenance: {
    check: async () => (await import("./check-command")).check,
    selftest: async () => (await import("./selftest/selftest-command")).selftest,
    doctor: async () => (await import("./doctor-command")).doctor,
    ...commandsOf("job", "list cancel", () => import("./job-commands")),
    version: async () => (await import("./instance/version-command")).default,
    help: async () => (await import("./help-command")).help,
  },
};

export const COMMANDS = new Map(Object.values(COMMAND_GROUPS).flatMap((group) => Object.entries(group)));

/** The file exports each command in camelCase: `webhook rotate-secret` is `webhookRotateSecret`. */
function commandsOf(
  first: string,
  words: string,
  load: () => Promise<Record<string, Command>>,
): CommandGroups[string] {
  const exportName = (word: string) =>
    `${first}-${word}`.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    words
      .split(" ")
      .map((word) => [`${first} ${word}`, async () => (await load())[exportName(word)] as Command]),
  );
}
