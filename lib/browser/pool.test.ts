import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { nextTurn } from "../base/async/next-turn.js";
import { silentLog } from "../base/log/log.js";
import type { SessionId } from "../base/units.js";
import type { BrowserAnswer, BrowserCommand, BrowserPlace } from "../contracts/browser/browser.js";
import type { BrowserRoom, BrowserSource, OpenBrowser } from "../contracts/browser/engine.js";
import { type BrowserPool, createBrowserPool } from "./pool.js";

const never = new AbortController().signal;
const GO: BrowserCommand = { do: "navigate", url: "http://a.test/" };
const LOOK: BrowserCommand = { do: "snapshot", full: false };
const HANG: BrowserCommand = { do: "back" };

interface FakeBrowser extends OpenBrowser {
  readonly rooms: Map<string, FakeRoom>;
  crash(reason: string): void;
}

interface FakeRoom extends BrowserRoom {
  crash(reason: string): void;
  /** Whether a command that hangs lets go when it is stopped. */
  polite: boolean;
  readonly closed: () => boolean;
}

function later(): { readonly promise: Promise<string>; settle(reason: string): void } {
  let settle: (reason: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

function fakeRoom(): FakeRoom {
  let gone: string | undefined;
  let closed = false;
  const { promise, settle } = later();
  const crash = (reason: string) => {
    gone ??= reason;
    settle(reason);
  };
  const room: FakeRoom = {
    polite: true,
    gone: () => gone,
    left: promise.then(() => undefined),
    halt: async () => undefined,
    run: (command, signal) => {
      if (command.do !== "back") return Promise.resolve({ value: { success: true, did: command.do } });
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => room.polite && reject(signal.reason), { once: true });
      });
    },
    close: async () => {
      closed = true;
    },
    closed: () => closed,
    crash,
  };
  return room;
}

function fakeBrowser(wish: BrowserSource): FakeBrowser {
  const { promise, settle } = later();
  const rooms = new Map<string, FakeRoom>();
  const crash = (reason: string) => {
    for (const room of rooms.values()) room.crash(reason);
    settle(reason);
  };
  return {
    wish,
    note: "no sandbox",
    version: "150.0",
    ended: promise,
    rooms,
    crash,
    room: async ({ lineage }: BrowserPlace) => {
      if (lineage === "stopped") return await new Promise<never>(() => undefined);
      const room = fakeRoom();
      rooms.set(lineage, room);
      return room;
    },
    close: async () => crash("closed"),
  };
}

function world(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "pool-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const clock = manualClock();
  const opened: FakeBrowser[] = [];
  let wish: BrowserSource = { kind: "local", program: "/bin/chromium" };
  const make = (): BrowserPool =>
    createBrowserPool({
      door: {
        open: async (wanted) => {
          const browser = fakeBrowser(wanted);
          opened.push(browser);
          return browser;
        },
      },
      clock,
      log: silentLog,
      limits: () => ({ inactivityMs: 120_000, commandMs: 30_000 }),
      choose: async () => wish,
    });
  const place = (lineage: string): BrowserPlace => ({ lineage, session: "s" as SessionId, dir: join(dir, lineage) });
  let pool = make();
  return {
    clock,
    opened,
    dir,
    want: (wanted: BrowserSource) => {
      wish = wanted;
    },
    get pool() {
      return pool;
    },
    restart: () => {
      pool = make();
    },
    run: (lineage: string, command: BrowserCommand, signal = never): Promise<BrowserAnswer> =>
      pool.run(place(lineage), command, signal),
  };
}

test("conversations share one browser, and each has a context of its own", async (t) => {
  const { run, opened, pool } = world(t);
  await Promise.all([run("a", GO), run("b", GO), run("a", LOOK)]);
  assert.equal(opened.length, 1);
  assert.deepEqual([...(opened[0]?.rooms.keys() ?? [])].sort(), ["a", "b"]);
  assert.deepEqual(pool.facts(), { running: true, version: "150.0", contexts: 2, note: "no sandbox" });
});

test("a browser that no one used for two minutes is closed, and its conversations are told once", async (t) => {
  const { run, clock, pool, opened } = world(t);
  await run("a", GO);
  clock.advance(119_000);
  assert.equal(pool.facts().running, true);
  await run("a", LOOK);
  clock.advance(120_000);
  await opened[0]?.ended;
  await nextTurn();
  assert.deepEqual(pool.facts(), { running: false, version: null, contexts: 0, note: null });
  const told = await run("a", LOOK);
  assert.equal(told.value["gone"], true);
  assert.match(String(told.value["error"]), /no command for 120 s.*browser_navigate/);
  assert.deepEqual((await run("a", LOOK)).value, { success: true, did: "snapshot" });
  assert.equal(opened.length, 2);
});

test("after a crash the command in progress says gone, and the next navigation opens a new browser and says what is lost", async (t) => {
  const { run, opened } = world(t);
  await run("a", GO);
  const hanging = run("a", HANG);
  await run("b", GO);
  opened[0]?.crash("the browser was ended by SIGKILL");
  assert.equal((await hanging).value["gone"], true);
  const again = await run("b", GO);
  assert.equal(again.value["success"], true);
  assert.match(String(again.value["note"]), /gone with its cookies: the browser was ended by SIGKILL/);
  assert.equal(opened.length, 2);
});

test("a browser that is stopped and opens no page is ended, and the next command has another one", async (t) => {
  const { run, clock, opened } = world(t);
  const waiting = run("stopped", GO);
  await clock.waitsFor(30_000);
  clock.advance(30_000);
  const { value } = await waiting;
  assert.equal(value["success"], false);
  assert.match(String(value["error"]), /did not react and was ended; open the page again with browser_navigate/);
  assert.equal(await opened[0]?.ended, "closed");
  assert.equal((await run("a", GO)).value["success"], true);
  assert.equal(opened.length, 2);
});

test("after a restart of the owner a conversation is told that its page has gone, a new one is not", async (t) => {
  const world_ = world(t);
  await world_.run("a", GO);
  world_.restart();
  assert.match(String((await world_.run("a", LOOK)).value["error"]), /the owner was restarted/);
  assert.equal((await world_.run("b", LOOK)).value["success"], true);
});

test("an interrupt answers at once, and the context goes on", async (t) => {
  const { run } = world(t);
  await run("a", GO);
  const control = new AbortController();
  const hanging = run("a", HANG, control.signal);
  const waiting = run("a", LOOK);
  control.abort(new Error("interrupted"));
  await assert.rejects(hanging, /interrupted/);
  assert.equal((await waiting).value["success"], true);
});

test("a command of more than 30 s is stopped; a page that does not let go takes its context with it", async (t) => {
  const { run, clock, opened } = world(t);
  await run("a", GO);
  const polite = run("a", HANG);
  await clock.waitsFor(30_000);
  clock.advance(30_000);
  const { value } = await polite;
  assert.deepEqual(value, { success: false, error: "the command took longer than 30 s (browser.command_timeout)" });
  const room = opened[0]?.rooms.get("a");
  if (room !== undefined) room.polite = false;
  const stuck = run("a", HANG);
  for (const ms of [30_000, 2_000, 2_000]) {
    await clock.waitsFor(ms);
    clock.advance(ms);
  }
  assert.equal((await stuck).value["gone"], true);
  assert.equal(room?.closed(), true);
  assert.equal((await run("a", LOOK)).value["success"], true);
  assert.notEqual(opened[0]?.rooms.get("a"), room);
});

test("what a conversation leaves is closed with it, and a later one of its name starts without a word", async (t) => {
  const { run, pool, opened, dir } = world(t);
  await run("a", GO);
  assert.ok(existsSync(join(dir, "a", "context.json")));
  await pool.release("a");
  assert.equal(opened[0]?.rooms.get("a")?.closed(), true);
  assert.equal(existsSync(join(dir, "a", "context.json")), false);
  assert.deepEqual((await run("a", LOOK)).value, { success: true, did: "snapshot" });
});

test("a conversation moves when a person connects another browser", async (t) => {
  const { run, want, opened } = world(t);
  await run("a", GO);
  want({ kind: "attached", endpoint: "http://127.0.0.1:9222" });
  assert.match(String((await run("a", GO)).value["note"]), /another browser is used now/);
  assert.deepEqual(
    opened.map(({ wish }) => wish.kind),
    ["local", "attached"],
  );
  assert.equal(opened[0]?.rooms.get("a")?.closed(), true);
});
