/** The message is one line, for the person who builds. */
export class BuildError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
