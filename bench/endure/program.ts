import { Database } from "bun:sqlite";
import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import {
  type CommandResult,
  PROGRAM,
  type RunningServer,
  runToEnd,
  startServer,
} from "../../test/support/program";

const HOUR = 60 * 60 * 1000;
const EXECUTABLE = join(import.meta.dir, "../../dist/platen");
const ADDRESS = "http://blog.test";

export class Program {
  readonly command = existsSync(EXECUTABLE) ? [EXECUTABLE] : PROGRAM;
  #running: RunningServer | null = null;
  #up = Promise.withResolvers<string>();

  constructor(readonly data: string) {}

  /** Waits for the next start if no server is running. */
  get url(): Promise<string> {
    return this.#up.promise;
  }

  async start(): Promise<void> {
    const env = { PLATEN_URL: ADDRESS };
    try {
      this.#running = await startServer({ data: this.data, program: this.command, env });
      this.#up.resolve(this.#running.url);
    } catch (error) {
      this.#up.promise.catch(() => {});
      this.#up.reject(error);
      throw error;
    }
  }

  async kill(): Promise<void> {
    await this.#takeServer().kill();
  }

  async stop(): Promise<void> {
    const server = this.#takeServer();
    const code = await server.stop();
    if (code !== 0) throw new Error(`The server ended with ${code}: ${server.stderr()}`);
  }

  /** Checkpoints the whole WAL, as Platen does when the WAL is too large. */
  async startLogOver(): Promise<void> {
    await this.stop();
    const db = new Database(join(this.data, "platen.db"));
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    await this.start();
  }

  /** The next start then checkpoints the WAL, as after hours without writes. */
  async ageLog(): Promise<void> {
    await this.stop();
    const then = new Date(Date.now() - 7 * HOUR);
    utimesSync(join(this.data, "platen.db-wal"), then, then);
    await this.start();
  }

  run(args: string[], data = this.data): Promise<CommandResult> {
    return runToEnd([...this.command, ...args, "--data", data], { env: { PLATEN_URL: ADDRESS } });
  }

  async demand(args: string[], data = this.data): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, data);
    if (code !== 0) throw new Error(`platen ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    return stdout.trim();
  }

  #takeServer(): RunningServer {
    const server = this.#running;
    if (!server) throw new Error("No server runs");
    this.#running = null;
    this.#up = Promise.withResolvers();
    return server;
  }
}
