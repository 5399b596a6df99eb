import type { Call, ExecScope } from "../writes/operands.js";
import { findOwnWork } from "./judge.js";

/** The call controls, loosens or starts the program that runs it, or reads what is for front ends alone (core part, 20.4). */
export function isAgentSelf(call: Call, scope: ExecScope): boolean {
  if (/^(pkill|killall)$/.test(call.program))
    return call.operands.some(({ text }) => /(^|[^\w-])agent\b|^node$/.test(text));
  const work = findOwnWork(call, scope);
  return work !== undefined && work !== "reads";
}

/** Why a call is never run for a model, whatever is allowed: it changes settings of this program, or prints what opens its doors. */
export function ownWorkBlocked(call: Call, scope: ExecScope): string | undefined {
  const work = findOwnWork(call, scope);
  if (work === "settings")
    return "BLOCKED: it changes what the agent does or allows; only a person runs that: ask the user to run it in a terminal";
  if (work === "secrets")
    return "BLOCKED: it prints credentials for access to the agent; only a person may run it: ask the user to run it";
  return undefined;
}

/** The call ends a process of the agent, named by its number. */
export function killsAgent(call: Call, scope: ExecScope): boolean {
  if (call.program !== "kill") return false;
  const pids = (scope.agentPids ?? []).map(String);
  return (
    call.operands.some((word) => pids.includes(word.text.replace(/^-/, ""))) ||
    call.words.some((word) => pids.includes(word.replace(/^-/, "")))
  );
}
