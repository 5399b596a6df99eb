import { allowManyListeners } from "../../lib/base/async/aborted.js";
import { createDisplayEffects } from "../app/display-effects.js";
import { leaveSession } from "../chat/open-session.js";
import { createComposerEffects } from "../composer/effects.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { createKeymapEffects } from "../keymap/effects.js";
import type { Effect, Message } from "../model/messages.js";
import { PANES } from "../model/panes.gen.js";
import { createCallEffects } from "./call.js";
import type { EffectContext, EffectOptions, EffectRunner } from "./effect.js";
import { pause } from "./follow-store.js";

/** What keeps the state fed from the owner, and carries out what the state asks of it. */
export interface EffectRunners {
  start(): void;
  perform(effect: Effect, session: string | undefined): void;
  /** Tell the owner that this screen has left a conversation; waits for a moment only. */
  leave(session: string): Promise<void>;
  /** End all of it; waits for a moment only. */
  stop(): Promise<void>;
}

/** What a feed may take to end once the screen is closed, in milliseconds: the process ends without one that hangs. */
const STOP_MS = 300;

const FEEDS: readonly ((context: EffectContext) => EffectRunner)[] = [
  createDisplayEffects,
  ...PANES.flatMap((pane) => PANE_DEFINITIONS[pane].effects ?? []),
  createCallEffects,
  createKeymapEffects,
  createComposerEffects,
];

export function createEffectRunners(options: EffectOptions, send: (message: Message) => void): EffectRunners {
  const { client } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  allowManyListeners(signal); // of each feed and of each call that is not answered yet
  const running = new Set<Promise<void>>();
  const run = (what: string, work: () => Promise<void>) => {
    const mine: Promise<void> = work()
      .catch((error: unknown) => {
        if (signal.aborted) return;
        options.log(what, error);
        send({ type: "say", text: `${what}: ${error instanceof Error ? error.message : String(error)}`, error: true });
      })
      .finally(() => running.delete(mine));
    running.add(mine);
  };
  const feeds = FEEDS.map((make) => make({ options, client, signal, send, run }));
  return {
    start: () => {
      client.onClose(() => send({ type: "connection", state: "lost" }));
      client.onConnect(() => send({ type: "connection", state: "connected", ...noticeOf(options) }));
      for (const feed of feeds) feed.start?.();
    },
    perform: (effect, session) => {
      for (const feed of feeds) feed.perform?.(effect, session);
    },
    leave: (session) => leaveSession(options, session),
    stop: async () => {
      stopped.abort();
      for (const feed of feeds) feed.stop?.();
      const late = new AbortController();
      await Promise.race([Promise.all(running), pause(options.after, STOP_MS, late.signal)]);
      late.abort();
    },
  };
}

/** Another version on the other side may refuse what this one asks. */
function noticeOf({ client, version }: EffectOptions): { readonly notice?: string } {
  const { version: other } = client.owner;
  return other === version || other === ""
    ? {}
    : { notice: `the owner is version ${other}, this screen ${version}: it may refuse newer requests` };
}
