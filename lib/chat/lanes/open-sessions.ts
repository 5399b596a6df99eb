import type { Store } from "../../../storage/store.js";
import { endAtOnce } from "../../base/async/cleanup.js";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { SessionId } from "../../base/units.js";
import type { NewSession, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import type { FrontEnd } from "../../contracts/chat/front-end.js";
import { createFrontEnds } from "./front-ends.js";
import { Lane, type LaneDeps } from "./lane.js";

export type { Converse } from "./runner.js";

/** The lineages that are open in this owner, each named by any of its sessions. */
export interface OpenSessions {
  /** Remember how a session is to be worked. Options of a lineage that is open already hold from its next turn on. `frontEnd`: who opens it. */
  open(store: Store, session: SessionRecord, options: NewSession, frontEnd?: FrontEnd): Promise<Lane>;
  /** Undefined: it is not open. `session` may be any of its segments. */
  lane(session: Pick<SessionRecord, "lineage_root">): Lane | undefined;
  /** The same by an id alone, without a look into the store: that of the lineage, or of the segment that it is worked in. */
  named(id: SessionId): Lane | undefined;
  all(): readonly Lane[];
  /** A further front end shows a lineage that is open. @returns undefined when it is not open */
  enter(session: Pick<SessionRecord, "lineage_root">, frontEnd: FrontEnd): Lane | undefined;
  /**
   * A front end has left, or its connection has closed. When it was the last one, the tools of the lineage are let go as soon as nothing is at work
   * there. Resolves when that is done, or at once while something is.
   */
  leave(id: SessionId, frontEnd: FrontEnd): Promise<void>;
  /** Let go of a lineage's tools. @throws E_RUNNING while a turn of it runs */
  close(root: SessionId): Promise<void>;
  /** A turn of it runs. */
  isBusy(id: SessionId): boolean;
  /** Resolves when no turn of it runs or is about to begin. */
  idle(id: SessionId): Promise<void>;
  /** Change what is stored of a session while no turn of it runs. @throws E_STATE when one runs */
  alone<T>(id: SessionId, work: () => Promise<T>): Promise<T>;
  /** Its record or its messages were changed beside its turns. */
  changed(session: SessionRecord, transcript: Transcript): void;
  running(): number;
  stop(): Promise<void>;
}

export function createOpenSessions(deps: LaneDeps): OpenSessions {
  const all = new Map<SessionId, Lane>();
  const letGo = async (lane: Lane) => {
    await lane.settled();
    if (frontEnds.has(lane) || lane.inUse || all.get(lane.root) !== lane) return;
    all.delete(lane.root);
    await lane.letGo();
  };
  const letGoFailed = (lane: Lane) => (error: unknown) =>
    deps.log.error("a conversation could not be let go", { session: lane.session.id, error: String(error) });
  const frontEnds = createFrontEnds<Lane>(deps.clock, (lane) => {
    letGo(lane).catch(letGoFailed(lane));
  });
  const named = (id: SessionId) => all.get(id) ?? [...all.values()].find((lane) => lane.session.id === id);
  return {
    open: async (store, session, options, frontEnd) => {
      const root = session.lineage_root;
      const known = all.get(root);
      const lane = known ?? new Lane(deps, store, session, options);
      all.delete(root);
      all.set(root, lane); // in order of use
      if (frontEnd !== undefined) frontEnds.add(lane, frontEnd);
      await lane.open(session, options);
      await letGoOldest(all, lane);
      return lane;
    },
    lane: ({ lineage_root }) => all.get(lineage_root),
    enter: ({ lineage_root }, frontEnd) => {
      const lane = all.get(lineage_root);
      if (lane !== undefined) frontEnds.add(lane, frontEnd);
      return lane;
    },
    leave: async (id, frontEnd) => {
      const lane = named(id);
      if (lane === undefined) return;
      frontEnds.remove(lane, frontEnd);
      if (frontEnds.has(lane)) return;
      const done = letGo(lane).catch(letGoFailed(lane));
      if (lane.busy) return;
      await lane.idle();
      if (!lane.busy && !lane.goal.judging) await done;
    },
    all: () => [...all.values()],
    close: async (root) => {
      const lane = all.get(root);
      if (!lane) return;
      if (lane.busy)
        throw new AppError("E_RUNNING", `a turn of ${lane.session.id} is running`, { hint: "interrupt it first" });
      all.delete(root);
      await lane.stop();
    },
    ...beside(all, named),
    running: () => [...all.values()].filter((lane) => lane.busy).length,
    stop: async () => {
      frontEnds.stop();
      await endAtOnce([...all.values()].map((lane) => () => lane.stop()));
      all.clear();
    },
  };
}

/** What changes a conversation beside its turns. */
function beside(
  all: ReadonlyMap<SessionId, Lane>,
  named: OpenSessions["named"],
): Pick<OpenSessions, "named" | "isBusy" | "idle" | "alone" | "changed"> {
  return {
    named,
    isBusy: (id) => named(id)?.busy === true,
    idle: async (id) => named(id)?.idle(),
    alone: async (id, work) => {
      const lane = named(id);
      return lane === undefined ? work() : lane.alone(work);
    },
    changed: (session, transcript) => all.get(session.lineage_root)?.changed(session, transcript),
  };
}

/** Tools of conversations that nobody has used for long are let go; their sessions open again at their next turn. */
async function letGoOldest(all: Map<SessionId, Lane>, opened: Lane): Promise<void> {
  for (const [root, lane] of all) {
    if (all.size <= LIMITS.openConversations) return;
    if (lane === opened || lane.inUse) continue;
    all.delete(root);
    await lane.letGo();
  }
}
