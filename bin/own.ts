import type { CallerIo } from "../lib/app/caller.js";
import { startHost } from "../lib/app/headless.js";
import { createHost, type Host, stopHost } from "../lib/app/host.js";
import type { Ownership } from "../lib/backplane/elect.js";
import type { Home } from "../lib/base/home.js";

/** What a workspace was started with. */
export interface WorkspaceCommand {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
}

/** An owner in this process. */
export interface Own {
  readonly host: Host;
  /** Stop it in order. @returns workers that go on */
  stop(): Promise<number>;
}

export interface OwnHooks {
  readonly onStop: () => void;
  /** The home had another owner until now. */
  readonly tookOver: boolean;
}

/** Begin to own the home in this process. */
export async function startOwn(
  { home, version, caller, globals }: WorkspaceCommand,
  ownership: Ownership,
  { onStop, tookOver }: OwnHooks,
): Promise<Own> {
  const made = await createHost({ home, kind: "long", workspace: true, tookOver, version, env: caller.env, globals, onStop });
  const unwatch = await startHost(made);
  return {
    host: made,
    stop: async () => {
      unwatch();
      await stopHost(made, ownership, "the workspace was closed");
      return (await made.app.boards()).dispatcher.running();
    },
  };
}
