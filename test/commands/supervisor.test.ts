import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../support/program";
import { temporaryFolder } from "../support/temporary";
import { until } from "../support/waiting";

/** A folder for PATH with a `systemd-notify` that records its arguments. */
function recordNotifications() {
  const folder = temporaryFolder("notify");
  const record = join(folder, "told");
  writeFileSync(record, "");
  const program = join(folder, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\nfor said; do :; done\necho "$1 $said" >> ${record}\n`);
  chmodSync(program, 0o755);
  return {
    env: { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: "/run/nobody/listens" },
    told: () => readFileSync(record, "utf8").trimEnd().split("\n"),
    until(said: string) {
      return until(
        () => this.told().some((line) => line.endsWith(said)),
        `systemd to be told ${said}`,
        this.told,
      );
    },
  };
}

test("notifies systemd of start, watchdog and stop", async () => {
  const systemd = recordNotifications();
  await using server = await startServer({ env: { ...systemd.env, WATCHDOG_USEC: "60000" } });
  await systemd.until("READY=1");
  await systemd.until("WATCHDOG=1");
  // Each notification is a process, so the second may be faster.
  expect(systemd.told()).toContain(`--pid=${server.pid} READY=1`);
  expect(await server.stop()).toBe(0);
  await systemd.until("STOPPING=1");
});

test("serves without systemd's socket", async () => {
  const systemd = recordNotifications();
  {
    await using server = await startServer({ env: { PATH: systemd.env.PATH } });
    await server.stop();
    expect(systemd.told()).toEqual([""]);
  }
  const { NOTIFY_SOCKET } = systemd.env;
  await using server = await startServer({
    env: { PATH: "/nowhere", NOTIFY_SOCKET, WATCHDOG_USEC: "60000" },
  });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toBe("");
});

test("the watchdog setting of another process is ignored", async () => {
  const systemd = recordNotifications();
  await using server = await startServer({
    env: { ...systemd.env, WATCHDOG_USEC: "1000", WATCHDOG_PID: "1" },
  });
  // More ticks than the watchdog's response would take.
  for (let turn = 0; turn < 50; turn++) await fetch(`${server.url}/livez`);
  await server.stop();
  await systemd.until("STOPPING=1");
  await systemd.until("READY=1");
  const notifications = systemd.told().map((line) => line.split(" ")[1]);
  expect(notifications.sort()).toEqual(["READY=1", "STOPPING=1"]);
});
