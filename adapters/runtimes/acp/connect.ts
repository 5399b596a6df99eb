import {
  type ClientContext,
  client,
  type InitializeRequest,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
} from "@agentclientprotocol/sdk";
import { isRecord } from "../../../lib/base/json/record.js";
import type { Ms } from "../../../lib/base/units.js";
import type { RuntimeParts, RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { type ClientRequests, onClientRequests } from "./client-requests.js";
import { answered, failure, gone, ProgramFailure, shown, silent } from "./failures.js";
import { startProgram } from "./start.js";
import { createWire } from "./wire.js";

/** A program that a package runner first downloads takes its time. */
const INITIALIZE_MS: Ms = 60_000;
const NAME_CHARS = 64;

/** A running program that has told what it can. */
export interface AgentProgram {
  readonly name: string;
  readonly agent: ClientContext;
  readonly facts: InitializeResponse;
  /** Names of the ways in which it can be logged in. */
  readonly logins: readonly string[];
  /** `_session/steering` puts words into a running turn. */
  readonly steers: boolean;
  /** Resolves with the reason when nothing more will come from it. */
  readonly ended: Promise<string>;
  /** The reason, once it has ended. */
  reason(): string | undefined;
  /** The result of a request. @throws ProgramFailure when the program answers with an error, ends, or does not answer in time */
  ask<T>(doing: string, request: Promise<T>, within: Ms, signal?: AbortSignal): Promise<T>;
  /** Ends it and its group. Harmless twice. */
  close(): Promise<void>;
}

export interface Desk extends ClientRequests {
  /** Takes one `session/update`. False: too many wait. */
  update(params: unknown): boolean;
}

/** Start the program and agree on the protocol. @throws ProgramFailure, or the reason of `signal` */
export async function connectProgram(
  parts: RuntimeParts,
  place: RuntimePlace,
  desk: Desk,
  signal: AbortSignal,
): Promise<AgentProgram> {
  const started = await startProgram(parts, place);
  const { child } = started;
  let { name } = started;
  const { clock, spawner, log } = parts;
  const wire = createWire({ child, spawner, clock, log, onUpdate: desk.update });
  const connection = onClientRequests(client({ name: "agent" }), desk).connect(wire.stream);
  let logins: readonly string[] = [];
  const ask: AgentProgram["ask"] = async (doing, request, within, stop) => {
    const over = new AbortController();
    const late = clock.sleep(within, over.signal).then(
      () => "late" as const,
      () => "over" as const,
    );
    const stopped = abortOf(over.signal, stop);
    const kept = request.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    try {
      const first = await Promise.race([kept, wire.ended, late, stopped]);
      if (first === "stopped") throw stop?.reason;
      if (first === "late") throw silent(name, doing, { within, stray: wire.stray() });
      if (typeof first === "object" && "value" in first) return first.value;
      // A connection that closes rejects its requests: the reason is that of the program.
      const reason = typeof first === "string" ? first : wire.reason();
      if (reason !== undefined) throw gone(name, doing, { reason, stray: wire.stray() });
      throw answered(name, doing, typeof first === "object" ? first.error : first, logins);
    } finally {
      over.abort();
    }
  };
  const close = async (): Promise<void> => {
    await wire.close();
    connection.close();
  };
  try {
    const asked = connection.agent.request(methods.agent.initialize, initialize(parts));
    const facts = await ask<InitializeResponse>("initialize", asked, INITIALIZE_MS, signal);
    name = shown(facts.agentInfo?.name ?? name).slice(0, NAME_CHARS);
    if (facts.protocolVersion !== PROTOCOL_VERSION)
      throw failure(
        `${name} speaks version ${facts.protocolVersion} of the Agent Client Protocol; this version of agent speaks version ${PROTOCOL_VERSION}`,
        `install a version of ${name} that speaks version ${PROTOCOL_VERSION}`,
      );
    logins = (facts.authMethods ?? []).map((method) => shown(method.name));
    const { agent } = connection;
    return { name, agent, facts, logins, steers: steersIn(facts), ended: wire.ended, reason: wire.reason, ask, close };
  } catch (error) {
    await close();
    throw error instanceof ProgramFailure || signal.aborted
      ? error
      : failure(`${name} failed to start: ${String(error)}`);
  }
}

const initialize = ({ version }: RuntimeParts): InitializeRequest => ({
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: "agent", title: "Agent", version },
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: false,
    session: { notices: {}, compaction: {} },
  },
});

/** Advertised by programs in the metadata of their first answer. */
function steersIn(facts: InitializeResponse): boolean {
  const places = [facts._meta, facts.agentCapabilities?._meta, facts.agentCapabilities?.sessionCapabilities?._meta];
  return places.some((meta) => isRecord(meta?.["steering"]) && meta["steering"]["supported"] === true);
}

/** Resolves when `stop` aborts; never, once `over` has. */
const abortOf = (over: AbortSignal, stop: AbortSignal | undefined): Promise<"stopped"> =>
  new Promise((resolve) => {
    if (stop?.aborted) resolve("stopped");
    stop?.addEventListener("abort", () => resolve("stopped"), { once: true, signal: over });
  });
