import { runCommand } from "./commands/command-list";
import { reportError } from "./commands/shell/command-errors";

// Other users of the machine must not read the data.
process.umask(0o077);

runCommand(process.argv.slice(2))
  .catch(reportError)
  .then((code) => process.exit(code));
