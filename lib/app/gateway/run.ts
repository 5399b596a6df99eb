import { aborted } from "../../base/aborted.js";
import { AppError, toAppError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import type { OwnerStatus } from "../../proto/owner.js";
import type { CommandLine } from "../command-line.js";
import { startHost } from "../headless.js";
import { createHost, stopHost } from "../host.js";
import { ownForLong } from "../long-owner.js";

/** The home cannot be opened: no supervisor is to start it again. */
const CANNOT_START = 78;

/**
 * `agent gateway run`: own the home until a signal or a planned stop.
 *
 * @returns 0 after a planned stop or Ctrl+C, 1 after SIGTERM that nobody planned, 78 when the stores cannot be opened
 * @throws E_OWNER_RUNNING naming the process when there is an owner that stays
 */
export async function runGateway({ home, version, caller, globals }: CommandLine): Promise<number> {
  const met = await ownForLong(home, { kind: "cli", version });
  if (met.role === "client") {
    const { pid, started_at } = await met.client.call<OwnerStatus>("owner.status", {});
    met.client.close();
    throw new AppError("E_OWNER_RUNNING", `process ${pid} owns ${home.dir} since ${toIso(started_at)}`, {
      pid,
      hint: "agent gateway status tells whether the gateway runs in it; agent gateway stop ends it",
    });
  }
  const planned = new AbortController();
  const host = await createHost({
    ...{ home, kind: "long", version, env: caller.env, globals, gateway: true },
    onStop: () => planned.abort(),
  });
  try {
    const unwatch = await startHost(host);
    await caller.err(`agent: gateway of ${home.dir}, pid ${process.pid}; Ctrl+C stops it\n`);
    for (const problem of host.config.problems()) await caller.err(`agent: ${problem}\n`);
    await aborted(AbortSignal.any([caller.signal, planned.signal]));
    unwatch();
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code !== "E_STORE" && code !== "E_STORE_FULL") throw error;
    await caller.err(`agent: the gateway cannot start: ${message}\n`);
    return CANNOT_START;
  } finally {
    await stopHost(host, met, "stopped");
  }
  return planned.signal.aborted || caller.signal.reason !== "SIGTERM" ? 0 : 1;
}
