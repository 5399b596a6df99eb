import { join } from "node:path";
import { makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { listUnsortedNames, removeTreeSync } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { SessionCopies } from "../../chat/sessions/post-turn.js";
import type { SessionFiles } from "../../chat/sessions/sessions-delete.js";

/** Files that belong to sessions: exported copies, request dumps, results that were too large, and older backups that are not rewritten. */
export function sessionFiles(home: Home): SessionFiles & SessionCopies {
  const copies = join(home.dir, "sessions");
  return {
    remove: (lineage, sessions) => {
      for (const kind of ["results", "processes", "attached", "tmp"]) removeTreeSync(join(home.cache, kind, lineage));
      for (const name of listUnsortedNames(copies)) {
        const belongs = sessions.some(
          (id) => name.startsWith(`${id}.`) || name === `session_${id}.json` || name.startsWith(`request_dump_${id}_`),
        );
        if (belongs) removeTreeSync(join(copies, name));
      }
    },
    writeJson: async (session, text) => {
      await makeDirectory(copies, 0o700);
      await writeAtomic(join(copies, `session_${session}.json`), text, 0o600);
    },
    backups: () =>
      ["backups", "state-snapshots"]
        .map((name) => join(home.dir, name))
        .filter((dir) => listUnsortedNames(dir).length > 0),
  };
}
