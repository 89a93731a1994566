import { runCommand } from "./commands/run";
import { reportError } from "./commands/shell/command-errors";

// New files are readable by this user only.
process.umask(0o077);

runCommand(process.argv.slice(2))
  .catch(reportError)
  .then((code) => process.exit(code));
