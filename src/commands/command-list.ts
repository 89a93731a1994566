import type { CommandGroups } from "./shell/command";

const accounts = () => import("./account-commands");
const blogs = () => import("./blog-commands");
const fediverse = () => import("./fediverse-commands");
const importHistory = () => import("./import-command");
const jobs = () => import("./job-commands");
const keys = () => import("./key-commands");
const reach = () => import("./reach-commands");
const readers = () => import("./komment-and-message-commands");
const recovery = () => import("./recovery-commands");
const subscribers = () => import("./subscriber-commands");
const topics = () => import("./topic-commands");
const webhooks = () => import("./webhook-commands");

/** Help lists commands in this order. Each file is loaded on demand. */
export const COMMAND_GROUPS: CommandGroups = {
  Serve: {
    serve: async () => (await import("./instance/serve-command")).default,
    setup: async () => (await import("./setup-command")).setup,
    demo: async () => (await import("./demo/demo-command")).default,
  },
  Blogs: {
    "blog add": async () => (await blogs()).blogAdd,
    "blog set": async () => (await import("./blog-commands")).blogSet,
    "blog remove": async () => (await blogs()).blogRemove,
    "blog list": async () => (await blogs()).blogList,
    "topic rename": async () => (await topics()).topicRename,
    "topic merge": async () => (await topics()).topicMerge,
    "topic delete": async () => (await topics()).topicDelete,
    "media move": async () => (await import("./media-move-command")).mediaMove,
  },
  Accounts: {
    "account add": async () => (await accounts()).accountAdd,
    "account invite": async () => (await accounts()).accountInvite,
    "account set": async () => (await accounts()).accountSet,
    "account password": async () => (await accounts()).accountPassword,
    "account two-factor": async () => (await accounts()).accountTwoFactor,
    "account disable": async () => (await accounts()).accountDisable,
    "account enable": async () => (await accounts()).accountEnable,
    "account remove": async () => (await accounts()).accountRemove,
    "account list": async () => (await accounts()).accountList,
    "key add": async () => (await keys()).keyAdd,
    "key list": async () => (await keys()).keyList,
    "key revoke": async () => (await keys()).keyRevoke,
  },
  Readers: {
    "komment list": async () => (await readers()).kommentList,
    "komment approve": async () => (await readers()).kommentApprove,
    "komment reject": async () => (await readers()).kommentReject,
    "komment reply": async () => (await readers()).kommentReply,
    "komment blocked": async () => (await readers()).kommentBlocked,
    "komment delete": async () => (await readers()).kommentDelete,
    "message list": async () => (await readers()).messageList,
    "message delete": async () => (await readers()).messageDelete,
    "reach show": async () => (await reach()).reachShow,
    "reach set": async () => (await reach()).reachSet,
    "follower list": async () => (await fediverse()).followerList,
    "follower remove": async () => (await fediverse()).followerRemove,
    "host block": async () => (await fediverse()).hostBlock,
    "host unblock": async () => (await fediverse()).hostUnblock,
    "host list": async () => (await fediverse()).hostList,
    "subscriber list": async () => (await subscribers()).subscriberList,
    "subscriber add": async () => (await subscribers()).subscriberAdd,
    "subscriber remove": async () => (await subscribers()).subscriberRemove,
    "subscriber import": async () => (await subscribers()).subscriberImport,
    "subscriber export": async () => (await subscribers()).subscriberExport,
    "mail test": async () => (await import("./mail-command")).mailTest,
  },
  Webhooks: {
    "webhook add": async () => (await webhooks()).webhookAdd,
    "webhook remove": async () => (await webhooks()).webhookRemove,
    "webhook pause": async () => (await webhooks()).webhookPause,
    "webhook resume": async () => (await webhooks()).webhookResume,
    "webhook enable": async () => (await webhooks()).webhookEnable,
    "webhook test": async () => (await webhooks()).webhookTest,
    "webhook rotate-secret": async () => (await webhooks()).webhookRotateSecret,
    "webhook list": async () => (await webhooks()).webhookList,
    "webhook log": async () => (await webhooks()).webhookLog,
    "webhook redeliver": async () => (await webhooks()).webhookRedeliver,
  },
  "Import/Export": {
    import: async () => (await import("./import-command")).importBlog,
    "import list": async () => (await importHistory()).importList,
    "import undo": async () => (await importHistory()).importUndo,
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
    "job list": async () => (await jobs()).jobList,
    "job cancel": async () => (await jobs()).jobCancel,
    version: async () => (await import("./instance/version-command")).default,
    help: async () => (await import("./help-command")).help,
  },
};

export const COMMANDS = new Map(Object.values(COMMAND_GROUPS).flatMap((group) => Object.entries(group)));
