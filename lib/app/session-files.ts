import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../base/home.js";
import type { SessionFiles } from "../chat/sessions-delete.js";

/** Files that belong to sessions: exported copies, request dumps, results that were too large, and older backups that nobody rewrites. */
export function sessionFiles(home: Home): SessionFiles {
  const copies = join(home.dir, "sessions");
  return {
    remove: (lineage, sessions) => {
      rmSync(join(home.cache, "results", lineage), { recursive: true, force: true });
      for (const name of list(copies)) {
        const belongs = sessions.some(
          (id) => name.startsWith(`${id}.`) || name === `session_${id}.json` || name.startsWith(`request_dump_${id}_`),
        );
        if (belongs) rmSync(join(copies, name), { force: true });
      }
    },
    backups: () => ["backups", "state-snapshots"].map((name) => join(home.dir, name)).filter((dir) => list(dir).length > 0),
  };
}

const list = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir) : []);
