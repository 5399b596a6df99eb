import { AppError, toAppError } from "../../base/errors.js";
import type { ProcessId } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { GatewayStatus } from "../../contracts/gateway/api.js";
import type { GatewayScope, GatewayVerdict } from "../../contracts/gateway/control.js";
import type { GatewayEnding } from "../../contracts/gateway/life.js";
import type { OwnerStatus } from "../../contracts/owner/owner.js";
import { findGatewayProblems } from "../../gateway/lifecycle/gateway-problems.js";
import { readStartFailure } from "../gateway/start-failure.js";
import {
  askOwner,
  callOwner,
  goneWithin,
  holderOf,
  liveStatus,
  type ProfilePlace,
  until,
} from "../process/gateway-place.js";
import { type Launched, launch, logOf } from "../process/launch-owner.js";
import { drainOf, installedAt } from "./gateway-units.js";

/** Until then it has left `starting`. */
const START_MS: Ms = 60_000;
/** Beyond the drain, before a gateway that should have ended is killed. */
const SPARE_MS: Ms = 30_000;
const KILLED_MS: Ms = 5_000;

/** What should end: the gateway, and its process unless that stays. */
interface Leaving {
  readonly id: ProcessId;
  readonly stays: boolean;
}

export async function startGateway(place: ProfilePlace, { system }: GatewayScope): Promise<GatewayVerdict> {
  const { profile } = place.home;
  const now = await liveStatus(place);
  if (now?.running === true) return withProblems(place, { profile, what: "already running", pid: now.pid ?? 0 });
  const unit = await installedAt(place, system);
  if (unit !== undefined) {
    await unit.start();
    return withProblems(place, { profile, what: "started", pid: await begun(place) });
  }
  if (now !== undefined && (await roleAt(place)) === "workspace") {
    const { pid } = (await askOwner(place, (client) => client.call<{ pid: number }>("gateway.begin", {}))) ?? {
      pid: 0,
    };
    return withProblems(place, { profile, what: "started", pid });
  }
  return withProblems(place, { profile, what: "started", pid: await startProcess(place) });
}

/** A gateway that was started may lack a board or a platform; the caller that started it reports this. */
async function withProblems(place: ProfilePlace, verdict: GatewayVerdict): Promise<GatewayVerdict> {
  const status = await liveStatus(place).catch(ifBusy);
  const problems = status === undefined ? [] : findGatewayProblems(status);
  return problems.length === 0 ? verdict : { ...verdict, problems };
}

export async function stopGateway(place: ProfilePlace, scope: GatewayScope): Promise<GatewayVerdict> {
  const { profile } = place.home;
  const unit = scope.direct === true ? undefined : await installedAt(place, scope.system);
  if (unit !== undefined && (await unit.state()).active) {
    await unit.stop();
    return { profile, what: "stopped" };
  }
  const leaving = await askToEnd(place, "stop");
  if (leaving === undefined) return { profile, what: "not running" };
  if (!leaving.stays) await gone(place, leaving.id);
  return { profile, what: "stopped", pid: leaving.id.pid, stays: leaving.stays };
}

export async function restartGateway(place: ProfilePlace, scope: GatewayScope): Promise<GatewayVerdict> {
  const { profile } = place.home;
  const unit = await installedAt(place, scope.system);
  if (unit !== undefined && (await unit.state()).active) {
    await unit.restart();
    return withProblems(place, { profile, what: "restarted", pid: await begun(place) });
  }
  const now = await liveStatus(place);
  if (now === undefined || !now.running) return startGateway(place, scope);
  if (now.role === "workspace") {
    await askOwner(place, (client) => callOwner(client, "gateway.anew"));
    const pid = await begun(place, (status) => status.started_at !== now.started_at);
    return withProblems(place, { profile, what: "restarted", pid });
  }
  const leaving = await askToEnd(place, "restart");
  if (leaving !== undefined) await gone(place, leaving.id);
  const pid = await begun(place, (status) => status.pid !== leaving?.id.pid);
  return withProblems(place, { profile, what: "restarted", pid });
}

const roleAt = (place: ProfilePlace): Promise<OwnerStatus["role"] | undefined> =>
  askOwner(place, async (client) => (await callOwner<OwnerStatus>(client, "owner.status")).role);

/** Ask the owner of a place to end its gateway; who does not answer is ended by a signal. Undefined: none runs. */
async function askToEnd(place: ProfilePlace, why: "stop" | "restart"): Promise<Leaving | undefined> {
  try {
    const ending = await askOwner(place, async (client) => {
      const status = await callOwner<GatewayStatus>(client, "gateway.status");
      if (!status.running) return undefined;
      // A workspace answers when its gateway has ended, and that may take as long as a drain.
      if (status.role === "workspace") return await client.call<GatewayEnding | null>("gateway.end", { why });
      return await callOwner<GatewayEnding | null>(client, "gateway.end", { why });
    });
    if (ending === undefined || ending === null) return undefined;
    return { id: { pid: ending.pid, start: ending.start, boot: systemSpawner.boot }, stays: ending.stays };
  } catch (error) {
    const holder = holderOf(place);
    if (holder === undefined) return undefined; // it has ended by itself meanwhile
    await place.line.caller.err(
      `agent: process ${holder.pid} does not respond (${toAppError(error).message}); sending SIGTERM\n`,
    );
    systemSpawner.signal({ pid: holder.pid }, "SIGTERM");
    return { id: holder, stays: false };
  }
}

/** Wait for the end of a process that drains; one that takes too long is killed, if it is still the same. */
async function gone(place: ProfilePlace, id: ProcessId): Promise<void> {
  const limit = (await drainOf(place)) * 1000 + SPARE_MS;
  const { signal } = place.line.caller;
  if (await goneWithin(id, limit, signal)) return;
  await place.line.caller.err(`agent: process ${id.pid} did not exit within ${limit / 1000} s; sending SIGKILL\n`);
  systemSpawner.signal({ pid: id.pid }, "SIGKILL");
  if (!(await goneWithin(id, KILLED_MS, signal)))
    throw new AppError("E_STATE", `cannot kill process ${id.pid}`, { pid: id.pid, hint: "kill it manually" });
}

/** @returns pid of the gateway that has left `starting`. @throws E_STATE when none comes; what its process says when that could not start */
async function begun(
  place: ProfilePlace,
  is: (status: GatewayStatus) => boolean = () => true,
  launched?: Launched,
): Promise<number> {
  const since = systemClock.now();
  let ended: number | undefined;
  const watching = launched?.child.exited.then(({ code }) => {
    ended = code ?? 1;
  });
  watching?.catch(() => undefined); // a start that failed is reported by its waiter
  const found = await until(
    START_MS,
    async () => {
      const status = await liveStatus(place).catch(ifBusy);
      if (status?.running === true && status.state !== "starting" && is(status)) return status.pid ?? 0;
      return ended === undefined ? undefined : "ended";
    },
    place.line.caller.signal,
  );
  if (typeof found === "number") return found;
  const failure = readStartFailure(place.home);
  if (failure !== undefined && (launched === undefined ? failure.at >= since : failure.pid === launched.child.pid))
    throw new AppError("E_STATE", `failed to start the gateway: ${failure.error.message}`, {
      cause: failure.error.code,
      hint: failure.error.hint,
      exit: failure.exit,
    });
  const said = launched?.said() ?? [];
  const why =
    ended === undefined
      ? `not started within ${START_MS / 1000} s`
      : `process exited with ${ended}${said.length === 0 ? "" : `: ${said.join("; ")}`}`;
  throw new AppError("E_STATE", `failed to start the gateway: ${why}`, { hint: `see ${logOf(place.home)}` });
}

/** A process that begins or ends may refuse, also in the middle of a call. */
function ifBusy(error: unknown): undefined {
  const { code, data } = toAppError(error);
  if (code === "E_STORE" && data["reason"] === "closed") return;
  if (!["E_OWNER_LOST", "E_BUSY", "E_OWNER", "E_INTERRUPTED"].includes(code)) throw error;
}

async function startProcess(place: ProfilePlace): Promise<number> {
  const launched = await launch(place.home, ["gateway", "run"], place.line.caller.env);
  return begun(place, ({ pid }) => pid === launched.child.pid, launched);
}
