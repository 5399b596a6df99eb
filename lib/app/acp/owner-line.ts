import { join } from "node:path";
import type { Client } from "../../backplane/client.js";
import { AppError } from "../../base/errors.js";
import { makeDir } from "../../base/fs/directory.js";
import { removeFile, statPathSync, writeAtomic } from "../../base/fs/files.js";
import type { Home } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { OwnerLine } from "../../contracts/acp/owner-line.js";
import type { WireEvent } from "../../contracts/wire/wire.js";

/** Milliseconds a call waits for an owner; then its caller gets an error. */
const OWNER_MS: Ms = 30_000;

export interface OwnerLineDeps {
  readonly client: Client;
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The owner over a lasting client. Resolves when its events are followed, so that nothing of what comes next is missed. */
export async function openOwnerLine(deps: OwnerLineDeps): Promise<OwnerLine> {
  const { client, home, env, clock, signal } = deps;
  const listeners = new Set<(event: WireEvent) => void>();
  const unowned = new Set<() => void>();
  let cancel: (() => void) | undefined;
  client.onClose(() => {
    cancel ??= clock.after(OWNER_MS, () => {
      for (const listener of unowned) listener();
    });
  });
  client.onConnect(() => {
    cancel?.();
    cancel = undefined;
  });
  await followEvents(deps, listeners);
  return {
    env,
    call: async (method, params, how) => {
      const late = new AbortController();
      const stop = clock.after(OWNER_MS, () => (client.connected ? undefined : late.abort(noOwner(home))));
      try {
        return await client.call(method, params, { ...how, signal: AbortSignal.any([late.signal, signal]) });
      } catch (error) {
        throw late.signal.aborted ? late.signal.reason : error;
      } finally {
        stop();
      }
    },
    onEvent: (listener) => {
      listeners.add(listener);
    },
    follow: (sessions, listener) =>
      client.topics(
        sessions.map((id) => `session:${id}`),
        listener,
      ),
    followEditor: async (channel, listener) => {
      const unfollow = await client.topics([`editor:${channel}`], listener);
      const unlisten = client.onConnect(listener); // what was asked before the topic was followed again
      return () => {
        unfollow();
        unlisten();
      };
    },
    onOwner: (hello) => {
      client.greet(hello);
    },
    onNoOwner: (listener) => {
      unowned.add(listener);
    },
    keepPicture: async (bytes, extension) => {
      const dir = join(home.cache, "acp");
      makeDir(dir);
      const path = join(dir, `${randomIds.hex(16)}.${extension}`);
      await writeAtomic(path, Buffer.from(bytes), 0o600);
      return path;
    },
    dropPicture: removeFile,
    look: (path) => {
      const kind = statPathSync(path)?.kind;
      return kind === "directory" || kind === "file" ? kind : kind === undefined ? "missing" : "other";
    },
  };
}

const noOwner = (home: Home): AppError =>
  new AppError("E_OWNER", `no process owns ${home.dir}, and none has begun for ${OWNER_MS / 1000} s`, {
    hint: "start `agent` in a terminal, or restart this agent in the editor",
  });

/** Each event once and in order, over lost and new owners alike. */
function followEvents(
  { client, signal, log }: OwnerLineDeps,
  listeners: ReadonlySet<(event: WireEvent) => void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const follow = async () => {
      for await (const item of client.subscribe("sessions", { signal, onBegin: () => resolve() })) {
        if (item.kind === "reset") log.warning("events were missed", { seq: item.lastSeq });
        else for (const event of item.events) for (const listener of listeners) listener(event);
      }
    };
    follow().then(resolve, (error: unknown) => {
      if (!signal.aborted) log.error("no longer following events", { error: String(error) });
      reject(error);
    });
  });
}
