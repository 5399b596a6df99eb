import { transaction } from "../body.js";
import type { Migration } from "../store.js";
import type { Connection } from "./ops.js";

/** Open the engine and bring its file to the newest layout, in one transaction. Functions of migrations run here, whatever thread it is in. */
export async function openUpgraded({ send }: Connection, migrations: readonly Migration[]): Promise<void> {
  const missing = await send({ op: "open" });
  if (missing.length === 0) return;
  await send({ op: "upgrade" });
  try {
    for (const to of missing) {
      await send({ op: "define", to });
      const apply = migrations.find((step) => step.to === to)?.apply;
      await apply?.(migrationTx(send));
      await send({ op: "reached", to });
    }
    await send({ op: "commit" });
  } catch (error) {
    await send({ op: "rollback" });
    throw error;
  }
}

const migrationTx = (send: Connection["send"]) =>
  transaction(
    {
      all: (sql, args) => send({ op: "all", sql, args, mayWrite: true }),
      run: (sql, args) => send({ op: "run", sql, args }),
      emit: () => undefined, // a migration does not have listeners
    },
    "write",
  );
