import type { Client } from "../../backplane/client.js";
import { type Ownership, ownOrConnect } from "../../backplane/elect.js";
import { systemClock } from "../../base/clock.js";
import { AppError, toAppError } from "../../base/errors.js";
import { systemSpawner } from "../../base/spawn-system.js";
import { type Ms, toIso } from "../../base/units.js";
import type { GatewayRunOptions } from "../../proto/gateway-control.js";
import type { OwnerStatus } from "../../proto/owner.js";
import type { CommandLine } from "../command-line.js";
import { call, holderOf } from "./control/place.js";

/** A command that holds the home is waited for so long. */
const COMMAND_MS: Ms = 30_000;
/** How long turns get when another process takes over, how long that may take, and how long each signal gets afterwards. */
const HANDOVER_DRAIN_MS: Ms = 5_000;
const HANDOVER_MS: Ms = 10_000;
const SIGNAL_MS: Ms = 5_000;
const LOOK_MS: Ms = 50;

/**
 * Become the owner of the home, as a gateway does: a command is waited for, and who has services is asked to leave where that is wanted.
 *
 * @throws E_OWNER_RUNNING naming pid, role and start time
 */
export async function ownHome(line: CommandLine, { replace }: Pick<GatewayRunOptions, "replace">): Promise<Ownership> {
  const until = systemClock.mono() + COMMAND_MS;
  for (;;) {
    const met = await ownOrConnect(line.home, { kind: "cli", version: line.version, deadline: COMMAND_MS });
    if (met.role === "owner") return met;
    const status = await statusOf(met.client);
    if (status !== undefined && (status.role !== "command" || status.kind === "long" || systemClock.mono() >= until)) {
      if (!replace || status.role === "command" || status.role === "workspace") throw running(line, status);
      return takeOver(line, met.client);
    }
    met.client.close();
    await systemClock.sleep(LOOK_MS, line.caller.signal);
  }
}

/** Undefined: it has ended meanwhile. */
async function statusOf(client: Client): Promise<OwnerStatus | undefined> {
  try {
    return await client.call<OwnerStatus>("owner.status", {});
  } catch (error) {
    client.close();
    if (toAppError(error).code === "E_OWNER_LOST") return undefined;
    throw error;
  }
}

function running({ home }: CommandLine, { pid, role, started_at }: OwnerStatus): AppError {
  const hint =
    role === "workspace"
      ? "the workspace runs the gateway itself; close it first"
      : role === "command"
        ? "wait for its end"
        : "agent gateway status tells how it does; agent gateway stop ends it; --replace takes its place";
  return new AppError("E_OWNER_RUNNING", `process ${pid} (${role}) owns ${home.dir} since ${toIso(started_at)}`, { pid, role, hint });
}

async function takeOver(line: CommandLine, client: Client): Promise<Ownership> {
  const old = holderOf({ home: line.home, line });
  try {
    await call(client, "gateway.end", { why: "handover", limit_ms: HANDOVER_DRAIN_MS });
  } catch (error) {
    await line.caller.err(`agent: the owner was asked to leave and does not answer: ${toAppError(error).message}\n`);
  } finally {
    client.close();
  }
  const waits: readonly (readonly [Ms, "SIGTERM" | "SIGKILL" | undefined])[] = [
    [HANDOVER_MS, undefined],
    [SIGNAL_MS, "SIGTERM"],
    [SIGNAL_MS, "SIGKILL"],
  ];
  for (const [limit, signal] of waits) {
    if (signal !== undefined && old !== undefined && systemSpawner.alive(old)) systemSpawner.signal({ pid: old.pid }, signal);
    const mine = await freeWithin(line, limit);
    if (mine !== undefined) return mine;
  }
  throw new AppError("E_OWNER_RUNNING", `${line.home.dir} is still held${old === undefined ? "" : ` by process ${old.pid}`}`, {
    ...(old === undefined ? {} : { pid: old.pid }),
    hint: "end that process, then repeat",
  });
}

async function freeWithin({ home, version, caller }: CommandLine, limit: Ms): Promise<Ownership | undefined> {
  const until = systemClock.mono() + limit;
  while (systemClock.mono() < until) {
    try {
      const met = await ownOrConnect(home, { kind: "cli", version, deadline: Math.max(LOOK_MS, until - systemClock.mono()) });
      if (met.role === "owner") return met;
      met.client.close();
    } catch (error) {
      if (toAppError(error).code !== "E_OWNER") throw error;
    }
    await systemClock.sleep(LOOK_MS, caller.signal);
  }
  return undefined;
}
