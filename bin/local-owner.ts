import { turnsEnded } from "../lib/app/gateway/turns-ended.js";
import { createHost, type Host, stopHost } from "../lib/app/owner-process.js";
import { startOrUndo } from "../lib/app/process/foreground.js";
import type { Ownership } from "../lib/backplane/elect.js";
import type { Backplane } from "../lib/backplane/server.js";
import type { Home } from "../lib/base/home.js";
import type { CallerIo } from "../lib/cli/terminal-caller.js";
import type { GatewayEnd } from "../lib/contracts/gateway/life.js";

/** What a workspace was started with. */
export interface WorkspaceCommand {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
  /** What it calls itself at an owner; default `workspace`. */
  readonly kind?: string;
}

/** An owner in this process. */
export interface LocalOwner {
  readonly host: Host;
  /** Stop it in order. @returns workers that go on */
  stop(): Promise<number>;
  /** Stop it because another process takes the home, which does not wait long. */
  handOver(end: GatewayEnd): Promise<void>;
}

export interface LocalOwnerHooks {
  readonly onStop: (end?: GatewayEnd) => void;
  /** The home had another owner until now. */
  readonly tookOver: boolean;
  /** Clients are served, as those of the socket are from then on; what works by itself is started behind it. */
  readonly onOpen?: (door: Backplane) => void;
}

/** Begin to own the home in this process. */
export async function startLocalOwner(
  { home, version, caller, globals }: WorkspaceCommand,
  ownership: Ownership,
  { onStop, tookOver, onOpen }: LocalOwnerHooks,
): Promise<LocalOwner> {
  const made = await createHost({
    home,
    kind: "long",
    workspace: true,
    tookOver,
    version,
    env: caller.env,
    globals,
    onStop,
  });
  const unwatch = await startOrUndo(made, ownership, onOpen);
  return {
    host: made,
    stop: async () => {
      unwatch();
      await stopHost(made, ownership, "the workspace was closed");
      return (await made.app.boards()).dispatcher.running();
    },
    handOver: async (end) => {
      unwatch();
      const door = await made.door();
      const gateway = await made.app.messaging();
      door.leave(HANDED_OVER);
      await Promise.all([gateway.host.stop(end), turnsEnded(made.app, end.limitMs ?? 0)]);
      await stopHost(made, ownership, HANDED_OVER);
    },
  };
}

const HANDED_OVER = "another process takes over the home";
