import type { Client } from "../../backplane/client.js";
import { type Ownership, ownOrConnect } from "../../backplane/elect.js";
import { AppError, toAppError } from "../../base/errors.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { type Ms, toIso } from "../../base/units.js";
import type { CommandLine } from "../../cli/command-line.js";
import type { GatewayRunOptions } from "../../contracts/gateway/control.js";
import type { OwnerStatus } from "../../contracts/owner/owner.js";
import { callOwner, holderOf } from "./gateway-place.js";

/** Milliseconds to wait for a command that holds the home. */
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
      if (!replace || status.role === "command") throw running(line, status);
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
      ? "the workspace runs the gateway itself; --replace takes it over, and the workspace continues as a client"
      : role === "command"
        ? "wait until it exits"
        : "agent gateway status shows its state; agent gateway stop stops it; --replace takes over";
  return new AppError("E_OWNER_RUNNING", `process ${pid} (${role}) owns ${home.dir} since ${toIso(started_at)}`, {
    pid,
    role,
    hint,
  });
}

async function takeOver(line: CommandLine, client: Client): Promise<Ownership> {
  const asked = new Set<number>();
  await ask(line, client, asked);
  const waits: readonly (readonly [Ms, "SIGTERM" | "SIGKILL" | undefined])[] = [
    [HANDOVER_MS, undefined],
    [SIGNAL_MS, "SIGTERM"],
    [SIGNAL_MS, "SIGKILL"],
  ];
  for (const [limit, signal] of waits) {
    const holder = signal && holderOf({ home: line.home, line });
    if (signal !== undefined && holder !== undefined) systemSpawner.signal({ pid: holder.pid }, signal);
    const mine = await freeWithin(line, limit, asked);
    if (mine !== undefined) return mine;
  }
  const old = holderOf({ home: line.home, line });
  throw new AppError(
    "E_OWNER_RUNNING",
    `${line.home.dir} is still in use${old === undefined ? "" : ` by process ${old.pid}`}`,
    {
      ...(old === undefined ? {} : { pid: old.pid }),
      hint: "stop that process, then retry",
    },
  );
}

/** Each process is asked once to leave: where one has left, a workspace may have been quicker to take its place. */
async function ask(line: CommandLine, client: Client, asked: Set<number>): Promise<void> {
  const { pid } = client.owner;
  try {
    if (asked.has(pid)) return;
    asked.add(pid);
    await callOwner(client, "gateway.end", { why: "handover", limit_ms: HANDOVER_DRAIN_MS });
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code !== "E_OWNER_LOST")
      await line.caller.err(`agent: process ${pid} was asked to exit but does not respond: ${message}\n`);
  } finally {
    client.close();
  }
}

async function freeWithin(line: CommandLine, limit: Ms, asked: Set<number>): Promise<Ownership | undefined> {
  const { home, version, caller } = line;
  const until = systemClock.mono() + limit;
  while (systemClock.mono() < until) {
    try {
      const met = await ownOrConnect(home, {
        kind: "cli",
        version,
        deadline: Math.max(LOOK_MS, until - systemClock.mono()),
      });
      if (met.role === "owner") return met;
      await ask(line, met.client, asked);
    } catch (error) {
      if (toAppError(error).code !== "E_OWNER") throw error;
    }
    await systemClock.sleep(LOOK_MS, caller.signal);
  }
  return undefined;
}
