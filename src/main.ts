import { runCommand } from "./commands/run";
import { reportError } from "./commands/shell/command-errors";

// Whatever is written is for the user that Platen runs as, whatever the folder's own mode.
process.umask(0o077);

runCommand(process.argv.slice(2))
  .catch(reportError)
  .then((code) => process.exit(code));
