import { existsSync } from "node:fs";
import { temporaryFolder } from "./temporary";
import { until, waitFor } from "./waiting";

/** Debian's chromium-headless-shell comes first: Chromium without its windows needs half of the CPU time. */
const CHROMIUM = [
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const FLAGS =
  `--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
  --disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-port=0`
    .split(/\s+/)
    .concat("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost");

/** Path of the browser; null if none is installed. */
export const chromium = CHROMIUM.find(existsSync) ?? null;

export interface View {
  /** In CSS pixels. */
  width: number;
  height: number;
  isDark: boolean;
  /** Disables scripts of pages; `evaluate` still works. */
  isWithoutScripts?: boolean;
  isPrinted?: boolean;
  /** Text zoom of 200 %. */
  isEnlarged?: boolean;
}

/** One tab, driven by the Chrome DevTools Protocol. */
export interface Tab {
  /** Loads a URL and waits for all resources. */
  open(address: string, view: View): Promise<void>;
  /** Changes the screen of the open page. */
  show(view: View): Promise<void>;
  /** Runs an action that leads to another page, and waits for it like `open`. */
  follow(script: string): Promise<void>;
  /** @param script an expression @param contextId of an isolated world, if not the page's @returns its value, awaited */
  evaluate<Value>(script: string, contextId?: number): Promise<Value>;
  /** Resolves when this is true on the page or the next one. @param condition an expression; an exception counts as false */
  until(condition: string): Promise<void>;
  /** Inserts a text at the focus. */
  type(text: string): Promise<void>;
  /** Presses a special key or a combination: "Enter", "ArrowUp", "Control+k". */
  press(key: string): Promise<void>;
  /** Chooses files in a file field. @param field a selector */
  pick(field: string, paths: string[]): Promise<void>;
  /** Turns the tab's network on or off. */
  setOnline(isOnline: boolean): Promise<void>;
  /** Adds a virtual authenticator for passkeys. */
  addAuthenticator(): Promise<Authenticator>;
  /** Throttles the network. @param delay of each response, in milliseconds @param bytesPerSecond in either direction; -1: unlimited */
  setLine(line: { delay: number; bytesPerSecond: number }): Promise<void>;
  /** Makes timers of pages opened later faster by this factor. */
  hurry(times: number): Promise<void>;
  /** @param isWhole also what the screen does not show */
  screenshot(format: "png" | "webp", isWhole?: boolean): Promise<Buffer>;
  /** Sends a command of the Chrome DevTools Protocol. */
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own answers
  command(method: string, params?: Record<string, unknown>): Promise<any>;
  /** URLs requested since the last `open`. */
  requests: string[];
  /** Errors the browser has logged since then: blocked by policy, missing, invalid. */
  complaints: string[];
}

export interface Authenticator extends AsyncDisposable {
  /** Sets whether the user confirms requests of the authenticator (default: true). */
  agree(isAgreeing: boolean): Promise<void>;
}

export interface Browser extends AsyncDisposable {
  newTab(): Promise<Tab>;
}

const MODIFIERS: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };
/** Codes of special keys (UI Events, fixed virtual key codes). */
const KEY_CODES: Record<string, number> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

/** Time limit in milliseconds for reading the page's text for an error message. */
const TO_ANSWER = 5000;

/** Starts Chromium with an empty profile and without background requests. */
export async function startBrowser(): Promise<Browser> {
  if (!chromium) throw new Error("There is no Chromium here.");
  const profile = temporaryFolder("browser");
  const child = Bun.spawn([chromium, ...FLAGS, `--user-data-dir=${profile}`, "about:blank"], {
    stdout: "ignore",
    stderr: "pipe",
    // The current environment has the tests' temporary folder.
    env: process.env,
  });
  const address = await waitFor(addressIn(child.stderr), "Chromium to say where it listens");
  const protocol = await connect(address);
  return {
    newTab: () => openTab(protocol),
    async [Symbol.asyncDispose]() {
      protocol.close();
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Reads the debugging address from Chromium's stderr. */
async function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  let stderr = "";
  for await (const chunk of output) {
    stderr += new TextDecoder().decode(chunk);
    const address = /DevTools listening on (ws:\S+)/.exec(stderr)?.[1];
    if (address) return address;
  }
  throw new Error(`Chromium did not start: ${stderr}`);
}

// biome-ignore lint/suspicious/noExplicitAny: the protocol's own answers and events
type ProtocolMessage = Record<string, any>;

interface Protocol {
  ask(method: string, params?: ProtocolMessage, session?: string): Promise<ProtocolMessage>;
  /** Events of one session. */
  listen(session: string, hear: (method: string, params: ProtocolMessage) => void): void;
  close(): void;
}

async function connect(address: string): Promise<Protocol> {
  const socket = new WebSocket(address);
  const pendingCommands = new Map<number, PromiseWithResolvers<ProtocolMessage>>();
  const listeners = new Map<string, (method: string, params: ProtocolMessage) => void>();
  let number = 0;
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(data);
    if (id === undefined) return listeners.get(sessionId)?.(method, params);
    const waiting = pendingCommands.get(id);
    pendingCommands.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  };
  socket.onclose = () => {
    for (const waiting of pendingCommands.values()) waiting.reject(new Error("Chromium has ended."));
  };
  const opened = new Promise((resolve) => {
    socket.onopen = resolve;
  });
  await waitFor(opened, "Chromium to listen");
  return {
    ask(method, params = {}, sessionId) {
      const waiting = Promise.withResolvers<ProtocolMessage>();
      pendingCommands.set(++number, waiting);
      socket.send(JSON.stringify({ id: number, method, params, sessionId }));
      return waiting.promise;
    },
    listen: (session, hear) => listeners.set(session, hear),
    close: () => socket.close(),
  };
}

async function openTab(protocol: Protocol): Promise<Tab> {
  const { targetId } = await protocol.ask("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await protocol.ask("Target.attachToTarget", { targetId, flatten: true });
  /** @returns URL and text of the tab, as far as it responds */
  const isAt = async () => {
    const expression = "location.href + ': ' + document.body?.innerText";
    const says = protocol.ask("Runtime.evaluate", { expression }, sessionId);
    const answer = await Promise.race([says.catch(() => null), Bun.sleep(TO_ANSWER)]);
    return [`a page at ${answer?.result.value}`, ...tab.complaints].join("\n").slice(0, 2000);
  };
  const ask = (method: string, params?: ProtocolMessage) =>
    waitFor(
      protocol.ask(method, params, sessionId),
      `an answer to ${method} ${JSON.stringify(params)?.slice(0, 1000)}`,
      isAt,
    );
  /** State of the page that is loaded or loading, and waits for the next one. */
  let page = "";
  let following = { page, loaded: Promise.withResolvers<void>() };
  const follow = async (lead: () => Promise<unknown>, how: string) => {
    Object.assign(tab, { requests: [], complaints: [] });
    following = { page, loaded: Promise.withResolvers() };
    await lead();
    await waitFor(following.loaded.promise, `the page that ${how} leads to`, isAt);
  };
  const tab: Tab = {
    requests: [],
    complaints: [],
    async show({ width, height, isDark, isPrinted, isEnlarged }) {
      await ask("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
      const features = [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }];
      await ask("Emulation.setEmulatedMedia", { media: isPrinted ? "print" : "", features });
      await ask("Page.setFontSizes", { fontSizes: { standard: isEnlarged ? 32 : 16 } });
    },
    async open(address, view) {
      await ask("Emulation.setScriptExecutionDisabled", { value: view.isWithoutScripts ?? false });
      await tab.show(view);
      await follow(() => ask("Page.navigate", { url: address }), address);
    },
    follow: (script) => follow(() => tab.evaluate(`{ ${script} }`), script),
    async evaluate(expression, contextId) {
      const params = { expression, contextId, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await ask("Runtime.evaluate", params);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async until(condition) {
      let fault = "";
      const isTrue = () =>
        tab.evaluate<boolean>(`Boolean(${condition})`).catch((reason) => {
          fault = `\nAt last: ${reason}`;
          return false;
        });
      await until(isTrue, condition, async () => (await isAt()) + fault);
    },
    async type(text) {
      await ask("Input.insertText", { text });
    },
    async press(keys) {
      const [key = "", ...held] = keys.split("+").reverse();
      const modifiers = held.reduce((sum, name) => sum + (MODIFIERS[name] ?? 0), 0);
      const windowsVirtualKeyCode = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
      const text = key === "Enter" ? "\r" : undefined;
      const pressed = { key, code: key, modifiers, windowsVirtualKeyCode };
      await ask("Input.dispatchKeyEvent", { type: "keyDown", text, ...pressed });
      await ask("Input.dispatchKeyEvent", { type: "keyUp", ...pressed });
    },
    async pick(field, files) {
      const { result } = await ask("Runtime.evaluate", {
        expression: `document.querySelector(${JSON.stringify(field)})`,
      });
      await ask("DOM.setFileInputFiles", { files, objectId: result.objectId });
    },
    async setOnline(isOnline) {
      const conditions = { offline: !isOnline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await ask("Network.emulateNetworkConditions", conditions);
    },
    async addAuthenticator() {
      await ask("WebAuthn.enable");
      const { authenticatorId } = await ask("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      return {
        agree: async (enabled) =>
          void (await ask("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })),
        [Symbol.asyncDispose]: async () =>
          void (await ask("WebAuthn.removeVirtualAuthenticator", { authenticatorId })),
      };
    },
    async setLine({ delay, bytesPerSecond }) {
      const speed = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
      await ask("Network.emulateNetworkConditions", { offline: false, latency: delay, ...speed });
    },
    async hurry(times) {
      const source = `{ const wait = setTimeout; window.setTimeout = (done, after = 0, ...given) => wait(done, after / ${times}, ...given); }`;
      await ask("Page.addScriptToEvaluateOnNewDocument", { source });
    },
    command: ask,
    async screenshot(format, isWhole = false) {
      const { data } = await ask("Page.captureScreenshot", {
        format,
        captureBeyondViewport: isWhole,
        quality: format === "webp" ? 80 : undefined,
      });
      return Buffer.from(data, "base64");
    },
  };
  protocol.listen(sessionId, (method, params) => {
    if (method === "Page.frameNavigated" && !params.frame.parentId) page = params.frame.loaderId;
    // The previous page may have been left before it was loaded.
    if (method === "Page.loadEventFired" && page !== following.page) following.loaded.resolve();
    if (method === "Network.requestWillBeSent") tab.requests.push(params.request.url);
    if (method === "Log.entryAdded")
      tab.complaints.push(`${params.entry.text} ${params.entry.url ?? ""}`.trim());
  });
  for (const domain of ["Page", "Network", "Log", "Runtime"]) await ask(`${domain}.enable`);
  page = (await ask("Page.getFrameTree")).frameTree.frame.loaderId;
  return tab;
}
