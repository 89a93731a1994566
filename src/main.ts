import { told } from "./commands/faults";
import { runCommand } from "./commands/running";

runCommand(process.argv.slice(2))
  .catch(told)
  .then((code) => process.exit(code));
