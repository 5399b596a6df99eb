import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { FrontEnd } from "../../contracts/chat/front-end.js";

/** Which front ends have which conversations open. */
export interface FrontEnds<Conversation> {
  /** A front end has opened a conversation; opening it again changes nothing. */
  add(conversation: Conversation, frontEnd: FrontEnd): void;
  /** A front end has left a conversation. */
  remove(conversation: Conversation, frontEnd: FrontEnd): void;
  /** A front end has it open. */
  has(conversation: Conversation): boolean;
  stop(): void;
}

/** Who opens conversations in the owner itself: its gateway, its jobs, a command that is run without a connection. */
export const THIS_PROCESS: FrontEnd = {};

interface Held<Conversation> {
  readonly open: Set<Conversation>;
  /** Watch its connection no longer. */
  forget(): void;
}

/**
 * Nothing is open yet. A front end whose connection has closed is removed after a grace period, in which it can come back on another connection:
 * a page that is reloaded keeps the shell of its conversation.
 *
 * @param abandoned Called when the connection of the last front end of a conversation has been closed for that long.
 */
export function createFrontEnds<Conversation>(
  clock: Clock,
  abandoned: (conversation: Conversation) => void,
): FrontEnds<Conversation> {
  const all = new Map<FrontEnd, Held<Conversation>>();
  const has = (conversation: Conversation) => [...all.values()].some(({ open }) => open.has(conversation));
  const removeLost = (frontEnd: FrontEnd) => {
    const { open } = all.get(frontEnd) ?? { open: [] };
    all.delete(frontEnd);
    for (const conversation of open) if (!has(conversation)) abandoned(conversation);
  };
  const watch = (frontEnd: FrontEnd): (() => void) => {
    const { signal } = frontEnd;
    let cancel: () => void = () => undefined;
    const onAbort = () => {
      cancel = clock.after(LIMITS.frontEndGraceMs, () => removeLost(frontEnd));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    return () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
  };
  return {
    add: (conversation, frontEnd) => {
      const held = all.get(frontEnd) ?? { open: new Set(), forget: watch(frontEnd) };
      all.set(frontEnd, held);
      held.open.add(conversation);
    },
    remove: (conversation, frontEnd) => {
      const held = all.get(frontEnd);
      if (held === undefined || !held.open.delete(conversation) || held.open.size > 0) return;
      held.forget();
      all.delete(frontEnd);
    },
    has,
    stop: () => {
      for (const { forget } of all.values()) forget();
      all.clear();
    },
  };
}
