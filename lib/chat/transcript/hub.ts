import type { ChatEvent } from "../../contracts/chat/chat.js";

type Listener = (event: ChatEvent) => void;

/**
 * Where the events of sessions meet their followers. Durable events need their messages read before they are shown; a live one that comes
 * after them must not overtake them, so that everything of a session passes one queue. Without followers nothing is read.
 */
export interface Hub {
  /** Events that are durable now. `hydrate` gives them their shown form. */
  durable(session: string, hydrate: () => Promise<readonly ChatEvent[]>): void;
  live(event: ChatEvent): void;
  follow(session: string, listener: Listener): () => void;
  followers(session: string): number;
}

export function createHub(onError: (error: unknown) => void): Hub {
  const listeners = new Map<string, Set<Listener>>();
  const tails = new Map<string, Promise<void>>();

  const tell = (event: ChatEvent) => {
    for (const listener of listeners.get(event.session_id) ?? []) listener(event);
  };
  const post = (session: string, work: () => Promise<void>) => {
    const tail = (tails.get(session) ?? Promise.resolve()).then(work).catch(onError);
    tails.set(session, tail);
    tail.finally(() => tails.get(session) === tail && tails.delete(session)).catch(onError);
  };

  return {
    durable: (session, hydrate) => {
      if (!listeners.has(session)) return;
      post(session, async () => {
        for (const event of await hydrate()) tell(event);
      });
    },
    live: (event) => {
      if (!listeners.has(event.session_id)) return;
      if (tails.has(event.session_id)) post(event.session_id, async () => tell(event));
      else tell(event);
    },
    follow: (session, listener) => {
      const mine = listeners.get(session) ?? new Set();
      mine.add(listener);
      listeners.set(session, mine);
      return () => {
        mine.delete(listener);
        if (mine.size === 0) listeners.delete(session);
      };
    },
    followers: (session) => listeners.get(session)?.size ?? 0,
  };
}
