import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { startPersonBrowser } from "../../fixtures/browser/person-browser.js";
import { noChromium } from "../../fixtures/browser/test-session.js";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { quickClock } from "../../fixtures/ports/clock.js";
import { loopback } from "../../fixtures/servers/shared/loopback.js";
import { allowManyListeners } from "../base/async/aborted.js";
import { layOutHome } from "../base/home.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log/log.js";
import type { ProcessId } from "../base/process/spawn.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { type Clock, systemClock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import { loadConfig } from "../config/load-config.js";
import type { BrowserAnswer, BrowserApi, BrowserCommand } from "../contracts/browser/browser.js";
import { browserPart } from "./browser.js";

const real = { skip: noChromium };
const never = new AbortController().signal;
allowManyListeners(never);
const LOOK: BrowserCommand = { do: "snapshot", full: false };

interface World {
  readonly url: string;
  readonly dir: string;
  readonly profiles: string;
  readonly browser: BrowserApi;
  run(lineage: string, command: BrowserCommand): Promise<BrowserAnswer>;
  go(lineage: string): Promise<BrowserAnswer>;
  /** Browsers that the leases name. */
  leased(): readonly ProcessId[];
  /** Another owner of the same home. */
  another(): Promise<BrowserApi>;
  /** Something to end before the directory goes. */
  atEnd(end: () => Promise<unknown>): void;
}

/** The browser of an owner as it is built, in a home of its own, and a server with one page. */
async function world(t: TestContext, { clock = systemClock }: { readonly clock?: Clock } = {}): Promise<World> {
  const dir = mkdtempSync(join(tmpdir(), "browser-"));
  const home = layOutHome(join(dir, "home"));
  mkdirSync(home.dir, { recursive: true, mode: 0o700 });
  writeFileSync(home.config, "browser:\n  allow_private_urls: true\n  command_timeout: 121\n");
  const server = await loopback(async (_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<title>Shop</title><button>Buy</button>");
  });
  t.after(() => server.close());
  const closing: (() => Promise<unknown>)[] = [];
  const build = async (): Promise<BrowserApi> => {
    const config = await loadConfig({ home, env: process.env, clock: systemClock, keys: [] });
    const part = browserPart(
      {
        home,
        version: "0",
        config,
        clock,
        ids: randomIds,
        spawner: systemSpawner,
        net: {
          fetch: () => Promise.reject(new Error("not used")),
          rebuild: async () => undefined,
          close: async () => undefined,
        },
        log: silentLog,
        env: config.env,
      },
      { aux: {} as never, models: {} as never, logins: {} as never, provided: () => [] }, // the browser asks no model
    );
    closing.push(async () => part.close?.());
    const { browser } = part.ports;
    if (browser === undefined) throw new Error("the part has a browser");
    return browser;
  };
  t.after(async () => {
    for (const close of closing) await close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const browser = await build();
  const profiles = join(home.cache, "browser");
  const run = (lineage: string, command: BrowserCommand) =>
    browser.run({ lineage, session: "s" as SessionId, dir: join(dir, "results", lineage) }, command, never);
  return {
    url: server.url,
    dir,
    profiles,
    browser,
    run,
    go: (lineage) => run(lineage, { do: "navigate", url: `${server.url}/` }),
    leased: () =>
      readdirSync(profiles)
        .filter((name) => name.endsWith(".json"))
        .flatMap((name) => (JSON.parse(readFileSync(join(profiles, name), "utf8")) as Lease).browser ?? []),
    another: build,
    atEnd: (end) => closing.push(end),
  };
}

interface Lease {
  readonly owner?: ProcessId;
  readonly browser?: ProcessId;
}

test("twenty runs at once share one browser and its profile, and none sees another's cookies", real, async (t) => {
  const { go, leased, browser, run } = await world(t);
  const names = Array.from({ length: 20 }, (_, n) => `run-${n}`);
  const answers = await Promise.all(names.map(go));
  for (const { value } of answers) assert.equal(value["success"], true, JSON.stringify(value));
  assert.equal(leased().length, 1);
  const status = await browser.status();
  assert.equal(status.contexts, 20);
  assert.match(String(status.version), /^\d+\.\d+/);
  const [lease] = leased();
  assert.deepEqual(status.leases, [{ owner: process.pid, browser: lease?.pid, live: true }]);
  await run("run-0", { do: "console", clear: false, expression: "document.cookie = 'a=1'" });
  const other = await run("run-1", { do: "console", clear: false, expression: "document.cookie" });
  assert.doesNotMatch(JSON.stringify(other.value), /a=1/);
  await Promise.all(names.map((name) => browser.release(name)));
  assert.equal((await browser.status()).contexts, 0);
});

test("a browser that is killed is an answer, and the next navigation starts another one", real, async (t) => {
  const { go, leased, run, profiles } = await world(t);
  await go("a");
  const [first] = leased();
  assert.ok(first !== undefined && systemSpawner.alive(first));
  const [profile = ""] = readdirSync(profiles).filter((name) => !name.endsWith(".json"));
  for (let n = 0; n < 5_000; n++) writeFileSync(join(profiles, profile, `kept-${n}`), ""); // its removal takes a while
  process.kill(first.pid, "SIGKILL");
  let told = await run("a", LOOK);
  await eventually(async () => {
    if (told.value["gone"] !== true) told = await run("a", LOOK);
    return told.value["gone"] === true;
  });
  assert.equal(told.value["success"], false);
  const { value } = await go("a"); // while the profile of the first one is being removed
  assert.equal(value["success"], true, JSON.stringify(value));
  await eventually(() => readdirSync(profiles).length === 2); // a profile and its lease
  assert.notDeepEqual(leased(), [first]);
});

test("a browser that no one uses ends with its processes and its profile", real, async (t) => {
  const fires: (() => void)[] = [];
  const ordinary = quickClock(1);
  const clock: Clock = {
    ...ordinary,
    after: (ms, fn) => {
      if (ms !== 120_000) return ordinary.after(ms, fn);
      fires.push(fn); // the time without a command, which the test lets pass
      return () => fires.splice(fires.indexOf(fn), 1);
    },
  };
  const { go, leased, browser, profiles, run } = await world(t, { clock });
  await go("a");
  const [first] = leased();
  assert.ok(first !== undefined);
  for (const fire of [...fires]) fire();
  await eventually(() => !systemSpawner.alive(first) && readdirSync(profiles).length === 0);
  await eventually(async () => !(await browser.status()).running);
  assert.match(String((await run("a", LOOK)).value["error"]), /no command for 120 s/);
});

test(
  "two owners of one home have a browser each, and what a dead one left is ended by its identity",
  real,
  async (t) => {
    const { go, leased, another, browser, profiles, url, dir } = await world(t);
    await go("a");
    const [first] = leased();
    assert.ok(first !== undefined);
    const left = join(profiles, "left-behind");
    mkdirSync(left);
    const orphan = await systemSpawner.spawn({
      file: "/bin/sleep",
      args: ["600"],
      cwd: dir,
      env: {},
      stdout: "ignore",
    });
    t.after(() => systemSpawner.endGroup(orphan.pid, 0));
    const gone = { ...first, start: "1" };
    writeFileSync(`${left}.json`, JSON.stringify({ owner: gone, browser: orphan.id }));
    // A lease whose process has ended: another one has its pid now.
    const stranger = join(profiles, "stranger");
    mkdirSync(stranger);
    writeFileSync(`${stranger}.json`, JSON.stringify({ owner: gone, browser: { ...first, start: "2" } }));
    const leases = (await browser.status()).leases.map(({ live }) => live);
    assert.deepEqual(leases.sort(), [false, false, true]);
    const second = await another();
    const place = { lineage: "b", session: "s" as SessionId, dir: join(dir, "results", "b") };
    const { value } = await second.run(place, { do: "navigate", url: `${url}/` }, never);
    assert.equal(value["success"], true, JSON.stringify(value));
    await orphan.exited;
    assert.equal(existsSync(left) || existsSync(stranger), false);
    assert.ok(systemSpawner.alive(first), "a browser whose owner lives is left alone");
    assert.equal(leased().length, 2);
  },
);

test("a person's browser is connected, worked in beside their tabs, and left open", real, async (t) => {
  const { browser, go, run, url, dir, atEnd } = await world(t);
  const person = await startPersonBrowser(dir, [`${url}/mine`]);
  atEnd(person.end);
  const { endpoint, tabs } = person;
  assert.equal((await browser.status()).kind, "local");
  const status = await browser.connect(endpoint);
  assert.deepEqual([status.kind, status.where], ["attached", endpoint]);
  assert.equal((await go("a")).value["success"], true);
  assert.match(String((await browser.status()).note), /your own browser/);
  const shows = async (...addresses: readonly string[]) => isDeepStrictEqual([...(await tabs())].sort(), addresses);
  await eventually(() => shows(`${url}/`, `${url}/mine`)); // the browser lists what it has opened and closed a moment later
  assert.match(
    String((await run("a", { do: "navigate", url: "http://169.254.169.254/" })).value["error"]),
    /^blocked: /,
  );
  assert.equal((await browser.disconnect()).kind, "local");
  await eventually(() => shows(`${url}/mine`));
  assert.ok(systemSpawner.alive(person.process.id));
  await assert.rejects(browser.connect("http://127.0.0.1:9"), /no browser answers at/);
  await assert.rejects(browser.connect("file:///x"), /not the address of a debugging endpoint/);
});
