import { join } from "node:path";
import type { Browser } from "playwright-core";
import { AppError } from "../../../lib/base/errors.js";
import { makeDir } from "../../../lib/base/fs/directory.js";
import type { Ids } from "../../../lib/base/ids.js";
import type { Child, Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import { openFilterProxy } from "../../../lib/safety/net/filter-proxy.js";
import { browserFlags } from "./flags.js";
import { createPipeTransport, type PipeTransport } from "./pipe-transport.js";
import { loadChromium } from "./playwright.js";
import { leaseProfile, type Profile, sweepProfiles } from "./profiles.js";

/** A start that takes longer has failed. */
const START_MS: Ms = 30_000;
/** How long a browser that was asked to close gets. */
const CLOSE_MS: Ms = 3_000;
/** Last words of a browser that did not start. */
const REASON_CHARS = 400;

export interface LaunchParts {
  readonly program: string;
  /** Directory of all profiles. */
  readonly profiles: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly spawner: Spawner;
  /** Environment of the owner. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** This process: who leases the profile, and whether it is root. */
  readonly self: { readonly pid: number; readonly root: boolean };
}

/** A browser that was started here. */
export interface Launched {
  readonly browser: Browser;
  readonly transport: PipeTransport;
  readonly pid: number;
  /** Why it runs without its sandbox; null: it has one. */
  readonly note: string | null;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/**
 * Start the browser with a profile of its own. It ends with this process, whatever ends it: it is watched over, its pipes close, and the next start
 * ends by the lease what both have missed.
 *
 * @throws AppError E_STATE with its last words when it does not start
 */
export async function launchBrowser(parts: LaunchParts, signal: AbortSignal): Promise<Launched> {
  await sweepProfiles({ base: parts.profiles, spawner: parts.spawner });
  if (parts.self.root) return await start(parts, "no sandbox: agent runs as root", signal);
  try {
    return await start(parts, null, signal);
  } catch (error) {
    if (!(error instanceof AppError) || !/sandbox/i.test(error.message)) throw error;
    return await start(parts, "no sandbox: this system refuses it (unprivileged user namespaces)", signal);
  }
}

async function start(parts: LaunchParts, note: string | null, signal: AbortSignal): Promise<Launched> {
  const { clock, spawner } = parts;
  const nothing = { clock, allowPrivate: () => false, setting: "browser.allow_private_urls" };
  const [chromium, proxy] = await Promise.all([
    loadChromium(),
    openFilterProxy({ ...nothing, closed: "the browser itself asks no server" }),
  ]);
  const profile = leaseProfile({ base: parts.profiles, spawner, ids: parts.ids, pid: parts.self.pid });
  const clean = async () => {
    await proxy.close();
    await profile.remove();
  };
  let child: Child;
  try {
    child = await spawner.spawn({
      file: parts.program,
      args: browserFlags({ profile: profile.dir, proxy: proxy.url, sandbox: note === null }),
      cwd: profile.dir,
      env: environment(parts.env, profile),
      stdout: "ignore",
      channel: true,
      endsWithOwner: true,
    });
  } catch (error) {
    await clean();
    throw failed(parts.program, error instanceof Error ? error.message : String(error));
  }
  profile.uses(child.id);
  const words = lastWords(child);
  // Told before its profile is removed, which takes time: the next command starts another one and does not meet this one.
  const ended = endOf(child, spawner).then((how) => {
    transport.end(how);
    return how;
  });
  const cleaned = ended.then(clean);
  cleaned.catch(() => undefined); // `close` reports it; what is left is removed at the next start
  const kill = () => {
    spawner.endGroup(child.pid, 0).catch(() => undefined); // its end is seen by `ended`
  };
  const { channel } = child;
  if (channel === undefined) throw failed(parts.program, "it has no pipes");
  const transport = createPipeTransport(channel, kill);
  const artifactsDir = join(profile.dir, "downloads");
  makeDir(artifactsDir);
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", kill, { once: true });
    const opening = chromium.connectOverCDP(transport, { timeout: START_MS, artifactsDir });
    const dead = ended.then((how): never => {
      throw failed(parts.program, words() === "" ? how : words());
    });
    const browser = await Promise.race([opening, dead]);
    const close = async () => {
      await settlesWithin(clock, CLOSE_MS, askToClose(browser)).catch(() => false);
      await spawner.endGroup(child.pid, CLOSE_MS);
      await cleaned;
    };
    return { browser, transport, pid: child.pid, note, ended, close };
  } catch (error) {
    kill();
    await cleaned;
    signal.throwIfAborted();
    throw error instanceof AppError ? error : failed(parts.program, words() || String(error));
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

async function askToClose(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  await session.send("Browser.close");
}

async function endOf(child: Child, spawner: Spawner): Promise<string> {
  const { code, signal } = await child.exited;
  await spawner.endGroup(child.pid, 0); // its helpers are of no use without it
  return signal === null ? `the browser ended with exit code ${code}` : `the browser was ended by ${signal}`;
}

/** The newest of what it writes to standard error. */
function lastWords(child: Child): () => string {
  let text = "";
  child.onOutput((chunk) => {
    text = `${text}${chunk.toString("utf8")}`.slice(-4 * REASON_CHARS);
  });
  return () => {
    const lines = text.split("\n").filter((line) => /FATAL|ERROR|sandbox|cannot|error while loading/i.test(line));
    return lines.join(" ").slice(0, REASON_CHARS);
  };
}

const failed = (program: string, why: string): AppError =>
  new AppError("E_STATE", `${program} did not start: ${why}`, {
    hint: "start it by hand to see why, or name another one in browser.executable",
  });

/** What the browser may know: fonts, languages and the like. Its own files stay in the profile. */
function environment(env: LaunchParts["env"], { dir, temp }: Pick<Profile, "dir" | "temp">): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) =>
      value !== undefined && /^(PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|FONTCONFIG_\w+|LD_LIBRARY_PATH)$/.test(name),
  );
  return {
    ...(Object.fromEntries(kept) as Record<string, string>), // undefined was left out
    TMPDIR: temp,
    XDG_CONFIG_HOME: dir,
    XDG_CACHE_HOME: dir,
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
    DBUS_SYSTEM_BUS_ADDRESS: "disabled:",
  };
}
