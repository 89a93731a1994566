import type { ExportFormat } from "../transfer/export/export-blog";
import type { CommandList } from "./shell/command";

/** The format's own, or the one that looks what it is. */
const importOf = (format?: string) => async () => {
  const { importCommand } = await import("./transfer/import-command");
  return { default: importCommand(format) };
};

const exportAs = (format: () => Promise<ExportFormat>) => async () => {
  const { exportCommand } = await import("./transfer/export-command");
  return { default: exportCommand(await format()) };
};

/**
 * Every command by the words that call it, in the order in which help lists them. Each is loaded when it is wanted:
 * a key is listed without the weight of the rest.
 */
export const COMMANDS: CommandList = new Map(
  Object.entries({
    serve: () => import("./instance/serve-command"),
    setup: () => import("./blogs/setup-command"),
    "account add": () => import("./accounts/account-add-command"),
    "account invite": () => import("./accounts/account-invite-command"),
    "account set": () => import("./accounts/account-set-command"),
    "account password": () => import("./accounts/account-password-command"),
    "account two-factor": () => import("./accounts/account-two-factor-command"),
    "account disable": () => import("./accounts/account-disable-command"),
    "account enable": () => import("./accounts/account-enable-command"),
    "account remove": () => import("./accounts/account-remove-command"),
    "account list": () => import("./accounts/account-list-command"),
    "blog add": () => import("./blogs/blog-add-command"),
    "blog set": () => import("./blogs/blog-set-command"),
    "blog remove": () => import("./blogs/blog-remove-command"),
    "blog list": () => import("./blogs/blog-list-command"),
    "key add": () => import("./accounts/key-add-command"),
    "key list": () => import("./accounts/key-list-command"),
    "key revoke": () => import("./accounts/key-revoke-command"),
    "webhook add": () => import("./webhooks/webhook-add-command"),
    "webhook remove": () => import("./webhooks/webhook-remove-command"),
    "webhook pause": () => import("./webhooks/webhook-pause-command"),
    "webhook resume": () => import("./webhooks/webhook-resume-command"),
    "webhook enable": () => import("./webhooks/webhook-enable-command"),
    "webhook test": () => import("./webhooks/webhook-test-command"),
    "webhook rotate-secret": () => import("./webhooks/webhook-rotate-secret-command"),
    "webhook list": () => import("./webhooks/webhook-list-command"),
    "webhook log": () => import("./webhooks/webhook-log-command"),
    "webhook redeliver": () => import("./webhooks/webhook-redeliver-command"),
    "topic rename": () => import("./topics/topic-rename-command"),
    "topic merge": () => import("./topics/topic-merge-command"),
    "topic delete": () => import("./topics/topic-delete-command"),
    "komment list": () => import("./readers/komment-list-command"),
    "komment show": () => import("./readers/komment-show-command"),
    "komment refuse": () => import("./readers/komment-refuse-command"),
    "komment answer": () => import("./readers/komment-answer-command"),
    "komment blocked": () => import("./readers/komment-blocked-command"),
    "komment delete": () => import("./readers/komment-delete-command"),
    "message list": () => import("./readers/message-list-command"),
    "message delete": () => import("./readers/message-delete-command"),
    "job list": () => import("./jobs/job-list-command"),
    "job cancel": () => import("./jobs/job-cancel-command"),
    "import auto": importOf(),
    "import platen": importOf("platen"),
    "import wordpress": importOf("wordpress"),
    "import markdown": importOf("markdown"),
    "import hugo": importOf("markdown"),
    "import jekyll": importOf("markdown"),
    "import eleventy": importOf("markdown"),
    "import ghost": importOf("ghost"),
    "import feed": importOf("feed"),
    "import bar": importOf("bar"),
    "import bear": importOf("bear"),
    "import pagecord": importOf("pagecord"),
    "import substack": importOf("substack"),
    "import medium": importOf("medium"),
    "export markdown": exportAs(
      async () => (await import("../transfer/export/formats/markdown-export")).markdownExport,
    ),
    "export platen": exportAs(
      async () => (await import("../transfer/export/formats/platen-archive")).platenArchive,
    ),
    "export wordpress": exportAs(
      async () => (await import("../transfer/export/formats/wordpress-export")).wordpressExport,
    ),
    "export bar": exportAs(async () => (await import("../transfer/export/formats/bar-export")).barExport),
    "export static": exportAs(async () => ({
      name: "static",
      makes: "a site of files that any web server can send",
      isArchive: false,
      hasCards: true,
      isPublic: true,
      write: async (...to) => (await import("../app")).exportStaticSite(...to),
    })),
    "import list": () => import("./transfer/import-list-command"),
    "import undo": () => import("./transfer/import-undo-command"),
    "media move": () => import("./folder/media-move-command"),
    doctor: () => import("./folder/doctor-command"),
    check: () => import("./folder/check-command"),
    recover: () => import("./folder/recover-command"),
    rollback: () => import("./folder/rollback-command"),
    snapshot: () => import("./folder/snapshot-command"),
    backup: () => import("./folder/backup-command"),
    restore: () => import("./folder/restore-command"),
    version: () => import("./instance/version-command"),
    help: () => import("./help-command"),
  }),
);
