import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import type { BrowserApi, BrowserStatus } from "../../contracts/browser/browser.js";
import type { SlashCall } from "../../contracts/chat/slash.js";
import { COMMANDS } from "../index.gen.js";

const LOCAL: BrowserStatus = {
  kind: "local",
  running: true,
  where: "/usr/bin/chromium",
  version: null,
  contexts: 2,
  leases: [],
  note: "no sandbox: agent runs as root",
  why: null,
};

function setup() {
  const connected: string[] = [];
  const browser: Partial<BrowserApi> = {
    status: async () => LOCAL,
    connect: async (endpoint) => {
      connected.push(endpoint);
      return { ...LOCAL, kind: "attached", where: endpoint, running: false, note: null };
    },
    disconnect: async () => ({
      ...LOCAL,
      kind: "none",
      where: null,
      note: null,
      why: "no Chromium or Chrome on the PATH",
    }),
  };
  const run = (text: string) => {
    const call: SlashCall = { text, session: "s" as SessionId, waits: true }; // of no store: these commands look at none
    const chat = { get: async () => undefined, isBusy: async () => false };
    const config = { get: () => undefined, raw: () => undefined };
    const { signal } = new AbortController();
    const around = { browser, config, chat, signal, env: {}, cwd: "/", globals: {}, log: silentLog };
    return runSlash(call, around as unknown as SlashServices, COMMANDS); // what these commands use of it
  };
  return { connected, run };
}

test("/browser says which browser is used, and how it runs", async () => {
  const { run } = setup();
  const text = "browser: local (/usr/bin/chromium), running, 2 contexts\nno sandbox: agent runs as root";
  assert.equal((await run("/browser status")).text, text);
  assert.equal((await run("/browser")).text, text);
});

test("/browser connect takes an endpoint on this machine, warns, and wants a word about any other", async () => {
  const { run, connected } = setup();
  assert.match(
    String((await run("/browser connect")).text),
    /127\.0\.0\.1:9222.*\nBrowser tools now act in this browser/,
  );
  await run("/browser connect ws://[::1]:9333/devtools/browser/x");
  assert.match(String((await run("/browser connect http://10.0.0.5:9222")).text), /not on this machine[\s\S]*--yes/);
  await run("/browser connect http://10.0.0.5:9222 --yes");
  assert.deepEqual(connected, ["http://127.0.0.1:9222", "ws://[::1]:9333/devtools/browser/x", "http://10.0.0.5:9222"]);
});

test("/browser disconnect says what is left", async () => {
  const { run } = setup();
  assert.equal((await run("/browser disconnect")).text, "browser: none (no Chromium or Chrome on the PATH)");
});
