import type { WireEvent } from "../../../contracts/wire/wire.js";
import type { Frame } from "./live.js";
import type { Pending } from "./pending.js";

/** What a subscriber wants to hear of. */
export interface Follow {
  /** `session:<id>`, `logs:<what>`, ... */
  readonly topics: readonly string[];
  heard(event: WireEvent): void;
  /** From now on everything is heard: what was before is to be read now. Again after each lost connection. */
  begin(): void;
}

/** What is followed over one connection after the other. */
export interface LiveFollows {
  /** Hear of topics until the answer is called. */
  add(follow: Follow): () => void;
  opened(): void;
  lost(): void;
  /** Take an event. */
  event(frame: Frame): void;
  readonly count: number;
}

/** Nothing is followed yet. */
export function createLiveFollows(pending: Pending, failed: (error: unknown) => void): LiveFollows {
  const follows = new Set<Follow>();
  const subs = new Map<number, Follow>();
  const end = (sub: number): void => {
    subs.delete(sub);
    if (pending.connected) pending.call("events.unsubscribe", { sub }).catch(() => undefined);
  };
  const begin = async (follow: Follow): Promise<void> => {
    const { sub } = await pending.call<{ sub: number }>("events.subscribe", { topics: follow.topics });
    // It was given up while the owner answered.
    if (!follows.has(follow)) return end(sub);
    subs.set(sub, follow);
    follow.begin();
  };
  const start = (follow: Follow): void => {
    begin(follow).catch(failed);
  };
  return {
    add(follow) {
      follows.add(follow);
      if (pending.connected) start(follow);
      return () => {
        follows.delete(follow);
        for (const [sub, mine] of subs) if (mine === follow) end(sub);
      };
    },
    opened: () => follows.forEach(start),
    lost: () => subs.clear(),
    event(frame) {
      const event = frame["params"] as WireEvent & { readonly sub?: number }; // the owner's form of an event
      const follow = subs.get(event.sub ?? 0);
      // Events are missing: everything is read again.
      if (event.event === "events.reset") follow?.begin();
      else follow?.heard(event);
    },
    get count() {
      return follows.size;
    },
  };
}
