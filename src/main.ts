import { runCommand } from "./commands/run";
import { reportFault } from "./commands/shell/command-faults";

// Whatever is written is for the user that Platen runs as, whatever the folder's own mode.
process.umask(0o077);

runCommand(process.argv.slice(2))
  .catch(reportFault)
  .then((code) => process.exit(code));
