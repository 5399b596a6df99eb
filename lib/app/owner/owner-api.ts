import { AppError, toAppError } from "../../base/errors.js";
import type { Check } from "../../contracts/check.js";
import { LISTENER_KINDS } from "../../contracts/owner/listeners.js";
import type { OwnerApi } from "../../contracts/owner/owner.js";
import { roleOf } from "../../gateway/lifecycle/owner-role.js";
import { describeCage } from "../../safety/cage/describe.js";
import { dispatchesAlready, dispatchUntil } from "./dispatch-until.js";
import { examine } from "./doctor.js";
import type { OwnerParts } from "./owner-parts.js";
import { stopWorkers, underWayOf } from "./under-way.js";

/** This process about itself, for `status`, `doctor` and `owner stop`. */
export function createOwner(parts: OwnerParts): OwnerApi {
  const { options, stores, boards, chats, listeners, hooks, started } = parts;
  return {
    status: async () => {
      // What was not used yet has nothing to tell; asking must not load it.
      const [own, chat, open] = await Promise.all([boards.peek(), chats.peek(), listeners.peek()]);
      return {
        pid: process.pid,
        version: options.version,
        home: options.home.dir,
        started_at: started,
        kind: options.kind === "long" ? "long" : "command",
        role: roleOf(options),
        clients: hooks.clients(),
        open_turns: chat?.openTurns() ?? 0,
        running_workers: own?.dispatcher.running() ?? 0,
        stores: await stores.health(),
        memory_bytes: process.memoryUsage.rss(),
        uptime_ms: options.clock.now() - started,
        dispatching: options.kind === "long" && own?.dispatcher.dispatching() === true,
        ...(options.listens === true && { only_listens: true }),
        ...(options.safeMode === true && { safe_mode: true }),
        listeners: LISTENER_KINDS.flatMap((kind) => open?.list(kind) ?? []),
        problems: [
          ...options.config.problems(),
          ...options.config.warnings(),
          ...(options.shellHooks?.problems() ?? []),
        ],
        ...(options.cages === undefined ? {} : { cage: describeCage(await options.cages.status()) }),
      };
    },
    underWay: () => underWayOf(parts),
    stopWorkers: () => stopWorkers(parts),
    dispatchUntil: async (signal, numbers, told) => {
      // The command that this process was started for dispatches already, or is about to.
      if (options.reserved === true) throw dispatchesAlready();
      if (options.kind !== "long" || options.listens === true)
        throw new AppError("E_OWNER", `process ${process.pid} only runs a command and does not dispatch`);
      await dispatchUntil((await boards()).dispatcher, signal, numbers, told);
    },
    doctor: (wanted) => guarded(() => examine(parts, wanted)),
    protocol: hooks.protocol,
    stop: async () => hooks.requestStop(),
  };
}

async function guarded(look: () => Promise<readonly Check[]>): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    return [{ name: "doctor", status: "fail", detail: toAppError(error).message }];
  }
}
