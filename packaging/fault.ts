/** Why there will be no executable, in one line. */
export class BuildFault extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
