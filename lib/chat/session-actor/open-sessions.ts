import type { Store } from "../../../storage/store.js";
import { runCleanupsTogether } from "../../base/async/cleanup.js";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { SessionId } from "../../base/units.js";
import type { NewSession, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import type { FrontEnd } from "../../contracts/chat/front-end.js";
import { createFrontEnds } from "./front-ends.js";
import { SessionActor, type SessionActorDeps } from "./session-actor.js";

export type { Converse } from "./turn-runner.js";

/** The lineages that are open in this owner, each named by any of its sessions. */
export interface OpenSessions {
  /** Remember how a session is to be worked. Options of a lineage that is open already hold from its next turn on. `frontEnd`: who opens it. */
  open(store: Store, session: SessionRecord, options: NewSession, frontEnd?: FrontEnd): Promise<SessionActor>;
  /** Undefined: it is not open. `session` may be any of its segments. */
  actor(session: Pick<SessionRecord, "lineage_root">): SessionActor | undefined;
  /** The same by an id alone, without a look into the store: that of the lineage, or of the segment that it is worked in. */
  named(id: SessionId): SessionActor | undefined;
  all(): readonly SessionActor[];
  /** A further front end shows a lineage that is open. @returns undefined when it is not open */
  enter(session: Pick<SessionRecord, "lineage_root">, frontEnd: FrontEnd): SessionActor | undefined;
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

export function createOpenSessions(deps: SessionActorDeps): OpenSessions {
  const all = new Map<SessionId, SessionActor>();
  const letGo = async (actor: SessionActor) => {
    await actor.settled();
    if (frontEnds.has(actor) || actor.inUse || all.get(actor.root) !== actor) return;
    all.delete(actor.root);
    await actor.letGo();
  };
  const letGoFailed = (actor: SessionActor) => (error: unknown) =>
    deps.log.error("failed to release a conversation", { session: actor.session.id, error: String(error) });
  const frontEnds = createFrontEnds<SessionActor>(deps.clock, (actor) => {
    letGo(actor).catch(letGoFailed(actor));
  });
  const named = (id: SessionId) => all.get(id) ?? [...all.values()].find((actor) => actor.session.id === id);
  return {
    open: async (store, session, options, frontEnd) => {
      const root = session.lineage_root;
      const known = all.get(root);
      const actor = known ?? new SessionActor(deps, store, session, options);
      all.delete(root);
      all.set(root, actor); // in order of use
      if (frontEnd !== undefined) frontEnds.add(actor, frontEnd);
      await actor.open(session, options);
      await letGoOldest(all, actor);
      return actor;
    },
    actor: ({ lineage_root }) => all.get(lineage_root),
    enter: ({ lineage_root }, frontEnd) => {
      const actor = all.get(lineage_root);
      if (actor !== undefined) frontEnds.add(actor, frontEnd);
      return actor;
    },
    leave: async (id, frontEnd) => {
      const actor = named(id);
      if (actor === undefined) return;
      frontEnds.remove(actor, frontEnd);
      if (frontEnds.has(actor)) return;
      const done = letGo(actor).catch(letGoFailed(actor));
      if (actor.busy) return;
      await actor.idle();
      if (!actor.busy && !actor.goal.judging) await done;
    },
    all: () => [...all.values()],
    close: async (root) => {
      const actor = all.get(root);
      if (!actor) return;
      if (actor.busy)
        throw new AppError("E_RUNNING", `a turn of ${actor.session.id} is running`, { hint: "interrupt it first" });
      all.delete(root);
      await actor.stop();
    },
    ...beside(all, named),
    running: () => [...all.values()].filter((actor) => actor.busy).length,
    stop: async () => {
      frontEnds.stop();
      await runCleanupsTogether([...all.values()].map((actor) => () => actor.stop()));
      all.clear();
    },
  };
}

/** What changes a conversation beside its turns. */
function beside(
  all: ReadonlyMap<SessionId, SessionActor>,
  named: OpenSessions["named"],
): Pick<OpenSessions, "named" | "isBusy" | "idle" | "alone" | "changed"> {
  return {
    named,
    isBusy: (id) => named(id)?.busy === true,
    idle: async (id) => named(id)?.idle(),
    alone: async (id, work) => {
      const actor = named(id);
      return actor === undefined ? work() : actor.alone(work);
    },
    changed: (session, transcript) => all.get(session.lineage_root)?.changed(session, transcript),
  };
}

/** Tools of conversations that were not used for a long time are released; their sessions open again at their next turn. */
async function letGoOldest(all: Map<SessionId, SessionActor>, opened: SessionActor): Promise<void> {
  for (const [root, actor] of all) {
    if (all.size <= LIMITS.openConversations) return;
    if (actor === opened || actor.inUse) continue;
    all.delete(root);
    await actor.letGo();
  }
}
