import { runCommand } from "./commands/run";
import { reportFault } from "./commands/shell/command-faults";

runCommand(process.argv.slice(2))
  .catch(reportFault)
  .then((code) => process.exit(code));
