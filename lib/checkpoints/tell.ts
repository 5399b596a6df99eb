import type { SessionId } from "../base/units.js";
import type { RestoreReport } from "../contracts/owner/checkpoints.js";
import type { CheckpointParts } from "./parts.js";

/** Event `checkpoint.restored` for each directory (core part, 1.4). Not emitted without a session. */
export async function tellRestored(
  { deps }: CheckpointParts,
  reports: readonly RestoreReport[],
  session: SessionId | undefined,
): Promise<void> {
  if (session === undefined) return;
  for (const { checkpoint, directory, restored, removed, skipped, failed } of reports) {
    const counts = {
      restored: restored.length,
      removed: removed.length,
      skipped: skipped.length,
      failed: failed.length,
    };
    await deps.announce(session, "checkpoint.restored", {
      id: checkpoint.id,
      directory,
      reason: checkpoint.reason,
      counts,
    });
  }
}
