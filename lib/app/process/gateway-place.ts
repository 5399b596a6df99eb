import { readOwner } from "../../../storage/lock.js";
import { type Client, connect } from "../../backplane/client.js";
import { type Home, layOutHome } from "../../base/home.js";
import type { ProcessId } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { CommandLine } from "../../cli/command-line.js";
import type { GatewayStatus } from "../../contracts/gateway/api.js";
import { profilePlaces } from "../../profiles/places.js";
import { createHost } from "../owner-process.js";

/** One profile whose gateway is looked after, from the process of a command. */
export interface ProfilePlace {
  readonly home: Home;
  readonly line: CommandLine;
}

/** Every profile of the root, in name order. */
export function listProfilePlaces(line: CommandLine): readonly ProfilePlace[] {
  const { home } = line;
  const places = profilePlaces(home.root);
  return places
    .names()
    .toSorted()
    .map((name) => ({ home: name === home.profile ? home : layOutHome(places.dirOf(name), home.root, name), line }));
}

/** Long enough for an owner that works, short enough for a waiting user. */
const ANSWER_MS: Ms = 5_000;

/**
 * Ask the owner of a place. Undefined: it does not have an owner.
 *
 * @throws what `work` throws; E_OWNER for an owner that does not answer in time
 */
export async function askOwner<T>(
  { home, line }: ProfilePlace,
  work: (client: Client) => Promise<T>,
): Promise<T | undefined> {
  const client = await connect(home, { kind: "cli", version: line.version });
  if (client === undefined) return undefined;
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** Call one method; it waits at most a few seconds. */
export const callOwner = <T>(client: Client, method: string, params: object = {}): Promise<T> =>
  client.call<T>(method, params, { signal: AbortSignal.timeout(ANSWER_MS) });

/** The status that the owner reports; undefined: no owner. */
export const liveStatus = (place: ProfilePlace): Promise<GatewayStatus | undefined> =>
  askOwner(place, (client) => callOwner<GatewayStatus>(client, "gateway.status"));

/** The status of a place, from its owner, else from what it has stored. */
export async function statusAt(place: ProfilePlace): Promise<GatewayStatus> {
  return (await liveStatus(place)) ?? (await lookAtHome(place, (app) => app.gateway.status()));
}

/** Look at a home whose owner is not asked. Creates nothing. */
export async function lookAtHome<T>(
  { home, line }: ProfilePlace,
  look: (app: Awaited<ReturnType<typeof createHost>>["app"]) => Promise<T>,
): Promise<T> {
  const env = envOf(home, line.caller.env);
  const host = await createHost({ home, kind: "readonly", version: line.version, env, globals: line.globals });
  try {
    return await look(host.app);
  } finally {
    await host.app.stop();
  }
}

/** Environment of a process that works for a home. */
export function envOf(home: Home, env: Readonly<Record<string, string>>): Record<string, string> {
  const { AGENT_PROFILE: _profile, ...rest } = env;
  return { ...rest, AGENT_HOME: home.dir };
}

/** The process that holds the home, by what its lock says; undefined when it is gone, or another process has its number now. */
export function holderOf({ home }: ProfilePlace): ProcessId | undefined {
  const text = readOwner(home.lock);
  if (text === undefined) return undefined;
  const id = { pid: text.pid, start: text.start, boot: text.boot };
  return systemSpawner.alive(id) ? id : undefined;
}

const LOOK_MS: Ms = 50;

/** Look again and again until there is something, for at most this time. */
export async function until<T>(
  limit: Ms,
  look: () => Promise<T | undefined>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const end = systemClock.mono() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined || systemClock.mono() >= end) return found;
    await systemClock.sleep(LOOK_MS, signal);
  }
}

/** True when the process is gone within the time. */
export const goneWithin = async (id: ProcessId, limit: Ms, signal?: AbortSignal): Promise<boolean> =>
  (await until(limit, async () => (systemSpawner.alive(id) ? undefined : true), signal)) === true;
