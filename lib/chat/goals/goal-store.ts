import type { Store } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { GoalRecord } from "../../contracts/chat/goal.js";
import { type GoalKeeper, parseGoal } from "./goal-engine.js";

const GOAL = "goal";

/** The goal of a lineage, or undefined. */
export const readGoal = async (store: Store, root: SessionId): Promise<GoalRecord | undefined> =>
  parseGoal(await store.read((q) => lineage.get(q, root, GOAL)));

/** The goal of a lineage in the session store. A change and its event are one commit; a removed goal is reported as null. */
export function storedGoal(store: Store, clock: Clock, { lineage_root: root, id: session }: SessionRecord): GoalKeeper {
  return {
    read: () => readGoal(store, root),
    write: async (goal, turn) => {
      const at = clock.now();
      await store.write("chat.goal", async (tx) => {
        if (goal === undefined) await lineage.remove(tx, root, GOAL);
        else await lineage.set(tx, { root, name: GOAL, json: JSON.stringify(goal) }, at);
        const payload = goal === undefined ? { goal: null } : { ...goal };
        tx.emit({ kind: "goal.changed", at, session, payload, ...(turn === undefined ? {} : { turn }) });
      });
    },
  };
}
