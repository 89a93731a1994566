const FLAGS = {
  pinned: "pinned",
  hidden: "hidden",
  hide_in_rss: "hideInRss",
  no_index_no_follow: "noIndexNoFollow",
  show_contact_form: "showContactForm",
  komments_disabled: "kommentsDisabled",
  skip_archive: "skipArchive",
} as const;

type Flags = Record<(typeof FLAGS)[keyof typeof FLAGS], boolean>;

export function exportFlags(post: Partial<Flags>): Record<string, true> {
  const set = Object.entries(FLAGS).filter(([, flag]) => post[flag]);
  return Object.fromEntries(set.map(([name]) => [name, true]));
}

export function parseFlags(line: Record<string, unknown>): Flags {
  const flags = Object.entries(FLAGS).map(([name, flag]) => [flag, line[name] === true]);
  return Object.fromEntries(flags) as Flags;
}
