import { sessionMigrations } from "../../storage/schema/sessions.js";
import type { Store } from "../../storage/store.js";
import { once } from "../base/async/lazy.js";
import { createChildren } from "../chat/children/children.js";
import type { ChildGate } from "../chat/children/types.js";
import type { ConversationDeps } from "../chat/conversation/conversation.js";
import { openSessionStores } from "../chat/sessions/session-stores.js";
import { createHub } from "../chat/transcript/hub.js";
import type { NewSession, Transcript } from "../contracts/chat/chat.js";
import type { CheckpointTaker } from "../contracts/owner/checkpoints.js";
import type { ChildrenPort } from "../tools/core/delegate-port.js";

interface Watching {
  /** A child does something. */
  activity(): void;
  checkpoints(): CheckpointTaker | undefined;
}

/** The children of a board worker. */
export interface WorkerChildren {
  readonly port: ChildrenPort;
  /** Stop them and forget what they said. */
  stop(): Promise<void>;
}

/**
 * Children of a worker run in its own process, with its settings and its rules. Their conversations are in memory only: what counts of them is
 * in the result that the worker's own conversation keeps.
 */
export function workerChildren(
  deps: ConversationDeps,
  worker: { readonly transcript: Transcript; readonly options: NewSession; readonly gate: ChildGate } & Watching,
): WorkerChildren {
  const { ports, log } = deps;
  const memory = once(() => openMemory(deps));
  const hub = createHub((error) => log.error("child events were lost", { error: String(error) }));
  const files = { remove: () => undefined, backups: () => [] };
  const stores = openSessionStores({ store: memory, memory, ports, files, readonly: false }, hub);
  const children = createChildren({
    ...deps,
    stores,
    hub,
    gate: () => worker.gate,
    board: () => ({ tools: new Set() }),
    tell: () => worker.activity(),
  });
  const { transcript, options, gate, checkpoints } = worker;
  return {
    port: children.portFor({ transcript, options, gate, checkpoints, level: 0 }),
    stop: async () => {
      await children.stop();
      await (await memory.peek())?.close();
    },
  };
}

async function openMemory({ ports, log }: ConversationDeps): Promise<Store> {
  const { openFileStore } = await import("../../storage/file/open.js");
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  return openFileStore(spec, { host: "inline", memory: true, clock: ports.clock, log });
}
