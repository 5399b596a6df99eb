import { join } from "node:path";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import { writePrivate } from "../../base/fs/workspace-files.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import { type BoardSlug, type Ms, toUnix, type UnixSeconds } from "../../base/units.js";
import { type GcApi, RETENTION } from "../../contracts/board/gc.js";
import type { Core } from "../core/core.js";
import { SYSTEM } from "../core/core.js";
import { KANBAN } from "../core/keys.js";

export interface AutoGcDeps extends Pick<Core, "clock" | "config"> {
  readonly board: GcApi;
  readonly slugs: () => Promise<readonly BoardSlug[]>;
  readonly log: Log;
  /** Home of all boards. */
  readonly root: string;
  readonly signals?: { readonly looked?: TestSignal<"ran" | "not due"> };
}

const DAY: UnixSeconds = 86_400;
/** How soon a changed setting, or a day that is over, is seen. */
const LOOK_EVERY: Ms = 60_000;

/** Clears all boards once a day while `kanban.auto_gc` is set; when that was last is kept over restarts. A service of the long-lived owner. */
export function createAutoGc(deps: AutoGcDeps): Service {
  return defineService("gc", async (scope) => {
    scope.loop(async () => {
      await pause(deps, scope.signal);
      if (scope.signal.aborted) return;
      const ran = deps.config.get(KANBAN.autoGc) && (await isDue(deps));
      if (ran) await clearAll(deps, scope.signal);
      deps.signals?.looked?.emit(ran ? "ran" : "not due");
    });
  });
}

async function pause({ clock }: AutoGcDeps, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(LOOK_EVERY, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const stampPath = (root: string) => join(root, "kanban", ".last-gc");

/** A time in the future is ignored: the clock was wrong when it was written. */
async function isDue({ clock, root }: AutoGcDeps): Promise<boolean> {
  const last = Number(await readText(stampPath(root)));
  const now = toUnix(clock.now());
  return !(last > now - DAY && last <= now);
}

/** One board that cannot be cleared does not keep the others. */
async function clearAll({ board, slugs, clock, log, root }: AutoGcDeps, signal: AbortSignal): Promise<void> {
  await writePrivate(stampPath(root), `${toUnix(clock.now())}\n`);
  for (const slug of await slugs()) {
    if (signal.aborted) return;
    try {
      const { workspaces, events, logs, size_bytes } = await board.gc(
        slug,
        { dryRun: false, retention: RETENTION },
        SYSTEM,
      );
      log.info("old data removed", {
        board: slug,
        workspaces: workspaces.length,
        events: events.count,
        logs: logs.length,
        bytes: size_bytes,
      });
    } catch (error) {
      const { code, message } = toAppError(error);
      log.warning("failed to remove old data of a board", { board: slug, code, message });
    }
  }
}
