import * as z from "zod";
import { curatorRunShape, curatorStateShape, curatorStatusShape, skillBackupShape } from "../shapes/curator.js";
import type { Results } from "./define.js";

const moved = z.object({ name: z.string(), path: z.string() });
const pinned = z.object({ name: z.string(), pinned: z.boolean() });
const names = z.array(z.string());

/** Answers of the methods about the curator. */
export const CURATOR_RESULTS: Results = {
  "curator.apply": curatorRunShape,
  "curator.archive": moved,
  "curator.backup": skillBackupShape,
  "curator.list-archived": z.array(moved.extend({ last_activity_at: z.string().nullable() })),
  "curator.pause": curatorStateShape,
  "curator.pin": pinned,
  "curator.prune": z.object({ archived: names, would_archive: names }),
  "curator.restore": moved,
  "curator.resume": curatorStateShape,
  "curator.rollback": z.union([
    z.array(skillBackupShape).describe("with list: the backups, the newest first"),
    z.object({ id: z.string(), before: z.string(), files: z.int(), jobs: names, warnings: names }),
  ]),
  "curator.run": z.union([z.object({ started: z.boolean() }).describe("with background"), curatorRunShape]),
  "curator.show": curatorRunShape,
  "curator.status": curatorStatusShape,
  "curator.undo": curatorRunShape,
  "curator.unpin": pinned,
};
