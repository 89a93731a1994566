import { runCommand } from "./commands/run";
import { told } from "./commands/shell/fault-messages";

runCommand(process.argv.slice(2))
  .catch(told)
  .then((code) => process.exit(code));
