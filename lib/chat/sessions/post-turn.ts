import type { Store } from "../../../storage/store.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import { WRITE_JSON } from "../config/session-keys.js";
import { exportLineage } from "./export.js";
import { improveTitle } from "./titles.js";

/** Copies of sessions that other programs read (`sessions.write_json`). */
export interface SessionCopies {
  writeJson(session: SessionId, text: string): Promise<void>;
}

export interface PostTurnDeps {
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  /** Absent: conversations keep the titles that their first message gives. */
  readonly aux?: AuxClient | undefined;
  readonly files: SessionCopies;
}

/** What follows a turn and delays nothing: the answer is out already. */
export interface PostTurn {
  turnEnded(store: Store, session: SessionId): void;
  /** Cut off what is under way, and wait for it. */
  stop(): Promise<void>;
}

export function createPostTurn(deps: PostTurnDeps): PostTurn {
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  /** Copies are written one after the other: an older one must not replace a newer one. */
  let copied: Promise<void> = Promise.resolve();
  const copy = (store: Store, session: SessionId): Promise<void> => {
    const mine = copied.then(() => writeCopy(deps, store, session));
    copied = mine.catch(() => undefined); // its caller gets the error
    return mine;
  };
  const run = (what: string, work: () => Promise<void>) => {
    const mine: Promise<void> = work()
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.log.warning(what, { error: String(error) });
      })
      .finally(() => running.delete(mine));
    running.add(mine);
  };
  return {
    turnEnded: (store, session) => {
      if (stopped.signal.aborted) return;
      const { aux, clock } = deps;
      if (aux !== undefined)
        run("failed to create a title", () => improveTitle({ clock, aux }, store, session, stopped.signal));
      if (deps.config.get(WRITE_JSON)) run("failed to write the copy of a session", () => copy(store, session));
    },
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

async function writeCopy(deps: PostTurnDeps, store: Store, session: SessionId): Promise<void> {
  let text = "";
  for await (const chunk of exportLineage(store, session, "json")) text += chunk;
  await deps.files.writeJson(session, text);
}
