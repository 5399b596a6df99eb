import { join } from "node:path";
import { listNames, makeDir, removeDir } from "../../base/fs/directory.js";
import type { Core } from "../core/core.js";
import { boardDir } from "../core/places.js";

type Kind = "exporting" | "importing";

/** Run `work` with a hidden directory of its own beside the boards. What an interrupted one left is removed first: only one of a kind runs. */
export function withStagingDirectory<T>(core: Core, kind: Kind, work: (dir: string) => Promise<T>): Promise<T> {
  return core.lanes.take(kind, async () => {
    const base = join(boardDir(core.home.root, "x"), "..");
    for (const name of listNames(base)) if (name.startsWith(`.${kind}-`)) removeDir(join(base, name));
    const dir = join(base, `.${kind}-${core.ids.hex(8)}`);
    makeDir(dir);
    try {
      return await work(dir);
    } finally {
      removeDir(dir);
    }
  });
}
