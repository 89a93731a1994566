/** An expected error, with a message of one line. */
export class BuildError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
