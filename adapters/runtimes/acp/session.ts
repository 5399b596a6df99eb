import {
  type LoadSessionResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  type SessionConfigOption,
  type SetSessionConfigOptionRequest,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk";
import type { Ms } from "../../../lib/base/units.js";
import { CALLBACK_SERVER } from "../../../lib/contracts/runtimes/callback-wire.js";
import type { CallbackEntry, RuntimeHost, RuntimePlace, RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";
import type { UsedCalls } from "./call-tracker.js";
import type { AgentProgram } from "./connect.js";
import { ProgramFailure } from "./failures.js";

/** A session starts its tool servers first. */
const SESSION_MS: Ms = 60_000;
const OPTION_MS: Ms = 10_000;

/** The session of the program that a conversation works on. */
export interface AgentSession {
  readonly id: string;
  readonly used: UsedCalls;
  options: readonly SessionConfigOption[];
}

export interface Begin {
  readonly program: AgentProgram;
  readonly place: RuntimePlace;
  readonly host: RuntimeHost;
  readonly signal: AbortSignal;
}

export interface Begun {
  readonly session: AgentSession;
  /** What was said before, for a session that does not know it. */
  readonly history?: string;
}

/** The session that a turn works on: the one that runs, the stored one loaded, or a new one. @throws ProgramFailure */
export async function beginSession(turn: RuntimeTurn, live: AgentSession | undefined, begin: Begin): Promise<Begun> {
  // The protocol cannot take a session back: a new one begins with what was said until then.
  const goesOn = turn.revertTo === undefined ? turn.thread : undefined;
  if (goesOn !== undefined && live?.id === goesOn) return { session: live };
  const resumed = goesOn === undefined ? undefined : await resume(goesOn, begin);
  if (resumed !== undefined) return { session: resumed };
  const session = await start(begin);
  const history = await turn.history();
  if (goesOn !== undefined) {
    const text = `${begin.program.name} could not load its session ${goesOn}; a new one begins with the last messages`;
    begin.host.notice({ level: "info", text });
  }
  return history === undefined ? { session } : { session, history };
}

async function start({ program, place, signal }: Begin): Promise<AgentSession> {
  const request = program.agent.request(methods.agent.session.new, {
    cwd: place.cwd,
    mcpServers: serversOf(place.callback),
  });
  const answer: NewSessionResponse = await program.ask("start a session", request, SESSION_MS, signal);
  return { id: answer.sessionId, used: new Map(), options: answer.configOptions ?? [] };
}

/** Undefined: the program cannot, or does not know the session any more. What it replays while it loads belongs to no turn and is dropped. */
async function resume(sessionId: string, { program, place, signal }: Begin): Promise<AgentSession | undefined> {
  const capabilities = program.facts.agentCapabilities;
  const params = { sessionId, cwd: place.cwd, mcpServers: serversOf(place.callback) };
  const { session } = methods.agent;
  const asked = (): Promise<LoadSessionResponse> | undefined => {
    if (capabilities?.sessionCapabilities?.resume) return program.agent.request(session.resume, params);
    return capabilities?.loadSession === true ? program.agent.request(session.load, params) : undefined;
  };
  const request = asked();
  if (request === undefined) return undefined;
  try {
    const answer = await program.ask<LoadSessionResponse>("load the session", request, SESSION_MS, signal);
    return { id: sessionId, used: new Map(), options: answer.configOptions ?? [] };
  } catch (error) {
    const lost = error instanceof ProgramFailure && error.error.class === "acp" && program.reason() === undefined;
    if (!lost) throw error;
    return undefined;
  }
}

function serversOf(callback: CallbackEntry | undefined): McpServer[] {
  if (callback === undefined) return [];
  const { command, args, env } = callback;
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return [{ name: CALLBACK_SERVER, command, args: [...args], env: variables }];
}

/** Choose the model that the user chose, where the program offers it. */
export async function chooseModel(model: string, session: AgentSession, begin: Begin): Promise<void> {
  const { program, host } = begin;
  const option = session.options.find(({ category, type }) => category === "model" && type === "select");
  const offered = option?.type === "select" && valuesOf(option.options).includes(model);
  if (option === undefined || !offered) {
    const text = `${program.name} does not offer the model ${model}; it works with its own`;
    host.notice({ level: "warning", text, once: `acp:model:${model}` });
    return;
  }
  if (option.currentValue === model) return;
  const params: SetSessionConfigOptionRequest = { sessionId: session.id, configId: option.id, value: model };
  const request = program.agent.request(methods.agent.session.setConfigOption, params);
  const answer = await program.ask<SetSessionConfigOptionResponse>(
    "change its model",
    request,
    OPTION_MS,
    begin.signal,
  );
  session.options = answer.configOptions;
}

type SelectOptions = Extract<SessionConfigOption, { type: "select" }>["options"];

const valuesOf = (options: SelectOptions): readonly string[] =>
  options.flatMap((option) => ("value" in option ? [option.value] : option.options.map(({ value }) => value)));
