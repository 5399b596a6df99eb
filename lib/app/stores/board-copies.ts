import { join } from "node:path";
import { type Compared, compareCopies } from "../../../storage/sqljs/compare.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import { exists } from "../../base/fs/home-files.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { storePath } from "../../board/core/places.js";

const DAY: Ms = 86_400_000;
/** After a start other things come first. */
const FIRST: Ms = 10 * 60_000;

export interface CopiesDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Log;
  /** Boards that have a store. */
  readonly boards: () => Promise<readonly string[]>;
  /** Default: in a thread. */
  readonly compare?: typeof compareCopies;
}

/**
 * Compares once a day the copies of each store with each other: what one of them lost unnoticed is reported while the other still
 * has it. The day goes on over restarts of the owner.
 */
export function createCopyCheck(deps: CopiesDeps): Service {
  const mark = join(deps.home.cache, "copies-compared");
  return defineService("copies", async (scope) => {
    let next = nextAt(deps, Number(readTextSync(mark)));
    scope.loop(async () => {
      await deps.clock.sleep(Math.max(0, next - deps.clock.now()), scope.signal);
      if (scope.signal.aborted) return;
      for (const store of await storesOf(deps)) await compareOne(deps, store, scope);
      if (scope.signal.aborted) return;
      keep(deps, mark);
      next = deps.clock.now() + DAY;
    });
  });
}

function nextAt({ clock }: CopiesDeps, last: EpochMs): EpochMs {
  const soon = clock.now() + FIRST;
  // A mark from the future is of a clock that was set back since.
  return Number.isFinite(last) && last <= clock.now() ? Math.max(soon, last + DAY) : soon;
}

async function storesOf({ home, boards }: CopiesDeps): Promise<readonly Compared[]> {
  const found = (await boards()).map(
    (slug): Compared => ({ name: `board:${slug}`, path: storePath(home.root, slug), kind: "board" }),
  );
  return exists(home.state) ? [...found, { name: "state", path: home.state, kind: "state" }] : found;
}

async function compareOne(
  { compare = compareCopies, log }: CopiesDeps,
  store: Compared,
  { signal }: Scope,
): Promise<void> {
  if (signal.aborted) return;
  try {
    const findings = await compare(store, signal);
    if (findings.length > 0)
      log.error("the copies of a store differ; back up the home", {
        store: store.name,
        findings: findings.join("; "),
      });
  } catch (error) {
    if (signal.aborted) return;
    const { code, message } = toAppError(error);
    log.warning("failed to compare the copies of a store", { store: store.name, code, message });
  }
}

function keep({ clock, log }: CopiesDeps, mark: string): void {
  try {
    replaceTextFile(mark, `${clock.now()}\n`);
  } catch (error) {
    log.warning("failed to record the comparison", { message: toAppError(error).message });
  }
}
