import { join } from "node:path";
import { createMailbox } from "../base/async/mailbox.js";
import type { Disk } from "../base/fs/disk.js";
import { moveTree } from "../base/fs/home-files.js";
import type { CheckpointDeps, CheckpointParts } from "./parts.js";
import { LAYOUT } from "./records.js";
import { openStore } from "./store.js";

const WAITING = 256;

/** Open the checkpoints of a home. A store of another layout is set aside first. */
export function openParts(deps: CheckpointDeps): CheckpointParts {
  const dir = join(deps.home.dir, "checkpoints");
  const { disk, ids, readonly } = deps;
  if (!readonly) setAside(deps, dir);
  return {
    deps,
    dir,
    store: openStore(join(dir, "store"), { disk, ids, readonly: readonly || isOther(disk, dir) }),
    mailbox: createMailbox("checkpoints", WAITING),
    running: new Map(),
    rounds: new Map(),
    told: new Set(),
    large: new Map(),
    dropped: 0,
  };
}

/** What is in the folder without being a store of this layout: kept under another name, and never read (core part, 24.3). */
function setAside({ disk, clock, log }: CheckpointDeps, dir: string): void {
  const foreign = disk.list(dir).filter((name) => name !== "store" && !name.startsWith("legacy-"));
  const old = isOther(disk, dir) ? ["store"] : [];
  if (foreign.length + old.length === 0) return;
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const to = join(dir, `legacy-${stamp}`);
  disk.mkdir(to);
  for (const name of [...foreign, ...old]) moveTree(join(dir, name), join(to, name));
  log.warning("set aside checkpoints of an older layout", { to });
}

function isOther(disk: Disk, dir: string): boolean {
  const store = join(dir, "store");
  const layout = disk.readFile(join(store, "layout"))?.toString("utf8").trim();
  if (layout !== undefined) return layout !== String(LAYOUT);
  return disk.list(store).some((name) => !["contents", "projects", "layout.part"].includes(name));
}

export const legacyIn = (disk: Disk, dir: string): readonly string[] =>
  disk.list(dir).filter((name) => name.startsWith("legacy-"));
