import { join } from "node:path";
import { linkSignals } from "../base/async/abort-any.js";
import { unlessAborted } from "../base/async/aborted.js";
import { AppError } from "../base/errors.js";
import { makeDir } from "../base/fs/directory.js";
import { removeFile, statPathSync } from "../base/fs/files.js";
import { replaceTextFile } from "../base/fs/text-file.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import { settlesWithin } from "../base/time/settles-within.js";
import type { Ms } from "../base/units.js";
import type { BrowserAnswer, BrowserCommand, BrowserPlace, BrowserStatus } from "../contracts/browser/browser.js";
import type { BrowserLauncher, BrowserRoom, BrowserSource, OpenBrowser } from "../contracts/browser/engine.js";

/** What runs, as `/browser status` and `agent doctor` show it. */
export type BrowserFacts = Pick<BrowserStatus, "running" | "version" | "contexts" | "note">;

/** The browsers of an owner, and the contexts of its conversations and runs in them. */
export interface BrowserPool {
  /** Never throws but when the signal aborts. */
  run(place: BrowserPlace, command: BrowserCommand, signal: AbortSignal): Promise<BrowserAnswer>;
  /** How many contexts there are, and what a person should know about the browser that runs. */
  facts(): BrowserFacts;
  /** The conversation or run has ended. */
  release(lineage: string): Promise<void>;
  /** Close every browser: each context says once that it has gone, and why. */
  closeAll(reason: string): Promise<void>;
}

export interface PoolParts {
  readonly door: BrowserLauncher;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: () => { readonly inactivityMs: Ms; readonly commandMs: Ms };
  /** The browser for a command. @throws AppError saying why it is missing */
  readonly choose: (command: BrowserCommand, current: BrowserSource | undefined) => Promise<BrowserSource>;
}

/** How long a stopped command may take to release its page. */
const LET_GO_MS: Ms = 2_000;
/** Stands in the directory of a context as long as it lives: a reader that finds it there without one knows that it has gone. */
const MARK = "context.json";
/** Conversations that are remembered although they have no context now; their marks tell the same. */
const HOLDERS = 512;
/** Contexts at once. Each costs memory for its pages. */
const CONTEXTS = 64;

interface Holder {
  room: BrowserRoom | undefined;
  browser: OpenBrowser | undefined;
  /** Commands one after the other. */
  last: Promise<unknown>;
  running: number;
  dir: string;
  /** Why the context has gone; its next command says so. */
  gone: string | undefined;
}

interface Pool {
  readonly parts: PoolParts;
  readonly browsers: Map<string, Promise<OpenBrowser>>;
  readonly open: Set<OpenBrowser>;
  readonly holders: Map<string, Holder>;
  idle: (() => void) | undefined;
}

export function createBrowserPool(parts: PoolParts): BrowserPool {
  const pool: Pool = { parts, browsers: new Map(), open: new Set(), holders: new Map(), idle: undefined };
  return {
    run: async (place, command, signal) => {
      signal.throwIfAborted();
      const holder = holderOf(pool, place);
      pool.idle?.();
      holder.running += 1;
      const turn = holder.last.then(() => runOne(pool, holder, { place, command, signal }));
      holder.last = turn.catch(() => undefined); // its caller gets the error
      const done = () => {
        holder.running -= 1;
        watchIdle(pool);
      };
      turn.then(done, done);
      return await unlessAborted(turn, signal);
    },
    facts: () => ({
      running: pool.open.size > 0,
      contexts: [...pool.holders.values()].filter(({ room }) => room?.gone() === undefined && room !== undefined)
        .length,
      version: [...pool.open].at(-1)?.version ?? null,
      note: [...pool.open].map(({ note }) => note).find((note) => note !== null) ?? null,
    }),
    release: async (lineage) => {
      const holder = pool.holders.get(lineage);
      pool.holders.delete(lineage);
      if (holder === undefined) return;
      await holder.room?.close();
      await removeFile(join(holder.dir, MARK));
    },
    closeAll: (reason) => closeAll(pool, reason),
  };
}

function holderOf(pool: Pool, { lineage, dir }: BrowserPlace): Holder {
  const known = pool.holders.get(lineage);
  if (known !== undefined) {
    pool.holders.delete(lineage);
    pool.holders.set(lineage, known); // the one that was used last
    return known;
  }
  for (const [other, { room, running }] of pool.holders)
    if (pool.holders.size >= HOLDERS && room === undefined && running === 0) pool.holders.delete(other);
  const left = statPathSync(join(dir, MARK)) !== undefined;
  const made: Holder = {
    room: undefined,
    browser: undefined,
    last: Promise.resolve(),
    running: 0,
    dir,
    gone: left ? "the owner was restarted" : undefined,
  };
  pool.holders.set(lineage, made);
  return made;
}

interface Asked {
  readonly place: BrowserPlace;
  readonly command: BrowserCommand;
  readonly signal: AbortSignal;
}

async function runOne(pool: Pool, holder: Holder, asked: Asked): Promise<BrowserAnswer> {
  const { command, signal } = asked;
  signal.throwIfAborted();
  try {
    const current = holder.room === undefined ? undefined : holder.browser?.wish;
    const wish = await pool.parts.choose(command, current);
    await leaveOther(pool, holder, wish);
    const gone = await findGone(holder);
    if (gone !== undefined && command.do !== "navigate") return goneAnswer(gone);
    holder.room ??= await enter(pool, holder, asked, wish);
    const answer = await runLimited(pool, holder, asked, holder.room);
    if (gone === undefined) return answer;
    const note = `the page of before has gone with its cookies: ${gone}`;
    return { ...answer, value: { ...answer.value, note } };
  } catch (error) {
    signal.throwIfAborted();
    pool.parts.log.info("a browser command failed", { command: command.do, error: String(error) });
    return { value: { success: false, error: messageOf(error) } };
  }
}

const goneAnswer = (gone: string): BrowserAnswer => ({
  value: { success: false, gone: true, error: `the page has gone: ${gone}. Open it again with browser_navigate.` },
});

const messageOf = (error: unknown): string => {
  const hint: unknown = error instanceof Error ? Reflect.get(error, "hint") : undefined;
  const text = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return typeof hint === "string" ? `${text}; ${hint}` : text;
};

/** Why the context of before is of no use; told once. */
async function findGone(holder: Holder): Promise<string | undefined> {
  const why = holder.gone ?? holder.room?.gone();
  holder.gone = undefined;
  if (why === undefined) return undefined;
  const { room } = holder;
  holder.room = undefined;
  await room?.close();
  await removeFile(join(holder.dir, MARK));
  return why;
}

/** Another browser is wanted than the one that the context is in: an address only the local one reaches, or a person has connected one. */
async function leaveOther(pool: Pool, holder: Holder, wish: BrowserSource): Promise<void> {
  const { browser, room } = holder;
  if (browser === undefined || room === undefined || keyOf(browser.wish) === keyOf(wish)) return;
  holder.room = undefined;
  holder.gone = "another browser is used now";
  await room.close();
  if ([...pool.holders.values()].every((one) => one.room === undefined || one.browser !== browser))
    await browser.close();
}

const keyOf = (wish: BrowserSource): string =>
  wish.kind === "local"
    ? `local ${wish.program}`
    : wish.kind === "attached"
      ? `attached ${wish.endpoint}`
      : `provider ${wish.name}`;

async function enter(pool: Pool, holder: Holder, { place, signal }: Asked, wish: BrowserSource): Promise<BrowserRoom> {
  const browser = await browserFor(pool, wish, signal);
  makeDir(place.dir);
  replaceTextFile(join(place.dir, MARK), `${JSON.stringify({ lineage: place.lineage })}\n`, 0o600);
  holder.browser = browser;
  holder.dir = place.dir;
  await makeSpace(pool);
  const { clock, limits } = pool.parts;
  const { commandMs } = limits();
  const opening = browser.room(place);
  if (await settlesWithin(clock, commandMs, opening)) return await opening;
  opening.then((room) => room.close()).catch(() => undefined); // it goes with its browser
  await settlesWithin(clock, commandMs, browser.close());
  throw new AppError("E_STATE", "the browser did not react and was ended", {
    hint: "open the page again with browser_navigate",
  });
}

/** When too many are open, the least recently used context goes. */
async function makeSpace({ holders }: Pool): Promise<void> {
  const idle = [...holders.values()].filter(({ room, running }) => room !== undefined && running === 0);
  const over = [...holders.values()].filter(({ room }) => room !== undefined).length - CONTEXTS + 1;
  for (const holder of idle.slice(0, Math.max(0, over))) {
    const { room } = holder;
    holder.room = undefined;
    holder.gone = `more than ${CONTEXTS} conversations use the browser`;
    await room?.close();
  }
}

/** One browser for all, started by the first who needs it. A waiter that stops leaves it to the others. */
async function browserFor(pool: Pool, wish: BrowserSource, signal: AbortSignal): Promise<OpenBrowser> {
  const key = keyOf(wish);
  const opening = pool.browsers.get(key) ?? open(pool, key, wish);
  pool.browsers.set(key, opening);
  return await unlessAborted(opening, signal);
}

function open(pool: Pool, key: string, wish: BrowserSource): Promise<OpenBrowser> {
  const opening = pool.parts.door.open(wish).then((browser) => {
    pool.open.add(browser);
    pool.parts.log.info("browser opened", { browser: key, note: browser.note });
    browser.ended
      .then((reason) => {
        pool.open.delete(browser);
        if (pool.browsers.get(key) === opening) pool.browsers.delete(key);
        pool.parts.log.info("browser ended", { browser: key, reason });
      })
      .catch(() => undefined); // it never rejects
    return browser;
  });
  opening.catch(() => {
    if (pool.browsers.get(key) === opening) pool.browsers.delete(key);
  });
  return opening;
}

/** A command of its own time. What does not let go of its page in time takes the context with it. */
async function runLimited(pool: Pool, holder: Holder, asked: Asked, room: BrowserRoom): Promise<BrowserAnswer> {
  const { clock, limits } = pool.parts;
  const { command, signal } = asked;
  const ms = command.do === "cdp" ? command.timeoutMs : limits().commandMs;
  const late = new AbortController();
  const cancel = clock.after(ms, () => late.abort(new Error("the time of the command is over")));
  const both = linkSignals(signal, late.signal);
  const work = room.run(command, both.signal);
  work.catch(() => undefined); // it is awaited below, or was stopped
  const stopped = new Promise<"stopped">((resolve) => {
    both.signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  try {
    const first = await Promise.race([work, stopped, room.left.then(() => "left" as const)]);
    if (typeof first !== "string") return first;
    if (first === "left") return goneAnswer((await findGone(holder)) ?? "the browser has ended");
    return await stopAnswer(pool, holder, asked, { room, work, ms });
  } catch (error) {
    if (late.signal.aborted || signal.aborted) return await stopAnswer(pool, holder, asked, { room, work, ms });
    if (room.gone() === undefined) throw error;
    return goneAnswer((await findGone(holder)) ?? "the browser has ended");
  } finally {
    cancel();
    both.dispose();
  }
}

interface Stopped {
  readonly room: BrowserRoom;
  readonly work: Promise<unknown>;
  readonly ms: Ms;
}

/** An interrupt is answered at once; the next command of the context waits until its page is free. */
async function stopAnswer(
  pool: Pool,
  holder: Holder,
  { signal }: Asked,
  { room, work, ms }: Stopped,
): Promise<BrowserAnswer> {
  const freed = letGo(pool, holder, room, work);
  holder.last = holder.last.then(() => freed);
  signal.throwIfAborted();
  await freed;
  const error = `the command took longer than ${ms / 1000} s (browser.command_timeout)`;
  const lost = holder.gone === undefined ? {} : { gone: true };
  holder.gone = undefined;
  return { value: { success: false, ...lost, error } };
}

async function letGo(pool: Pool, holder: Holder, room: BrowserRoom, work: Promise<unknown>): Promise<void> {
  const { clock } = pool.parts;
  const quiet = work.catch(() => undefined);
  await settlesWithin(clock, LET_GO_MS, Promise.all([room.halt().catch(() => undefined), quiet]));
  if (await settlesWithin(clock, LET_GO_MS, quiet)) return;
  if (holder.room === room) {
    holder.room = undefined;
    holder.gone = "its page did not react any more";
  }
  await settlesWithin(clock, LET_GO_MS, room.close());
}

function watchIdle(pool: Pool): void {
  const { clock, limits } = pool.parts;
  pool.idle?.();
  pool.idle = undefined;
  if (pool.open.size === 0 || [...pool.holders.values()].some(({ running }) => running > 0)) return;
  const { inactivityMs } = limits();
  pool.idle = clock.after(inactivityMs, () => {
    closeAll(pool, `no command for ${inactivityMs / 1000} s (browser.inactivity_timeout)`).catch((error: unknown) =>
      pool.parts.log.warning("failed to close the browser", { error: String(error) }),
    );
  });
}

async function closeAll(pool: Pool, reason: string): Promise<void> {
  pool.idle?.();
  pool.idle = undefined;
  const rooms: BrowserRoom[] = [];
  for (const holder of pool.holders.values()) {
    if (holder.room === undefined) continue;
    rooms.push(holder.room);
    holder.room = undefined;
    holder.gone = reason;
  }
  await Promise.all(rooms.map((room) => settlesWithin(pool.parts.clock, LET_GO_MS, room.close())));
  const opening = [...pool.browsers.values()];
  pool.browsers.clear();
  await Promise.all(
    opening.map(async (one) => {
      const browser = await one.catch(() => undefined); // it did not open
      await browser?.close();
    }),
  );
}
