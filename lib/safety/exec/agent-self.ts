import { type Call, type ExecScope, hasFlag } from "./operands.js";

/** The call stops or loosens the agent that runs it (core part, 20.4). */
export function isAgentSelf(call: Call): boolean {
  const exported = /^(export|declare|typeset)$/.test(call.program) && call.words.some((word) => /^AGENT_YOLO_MODE=/.test(word));
  if (exported) return true;
  if (/^(pkill|killall)$/.test(call.program)) return call.operands.some((word) => word.text === "agent");
  if (call.program !== "agent") return false;
  const [first = "", second = ""] = call.operands.map((word) => word.text);
  if (hasFlag(call, "--yolo", "--allow") || call.simple.assignments.some((word) => word.text.startsWith("AGENT_YOLO_MODE="))) return true;
  if (first === "gateway") return /^(stop|restart)$/.test(second);
  if (first === "owner") return second === "stop";
  if (first === "permissions") return !/^(list|test)?$/.test(second);
  return first === "update" || call.operands.some((word) => word.text === "pairing") || (first === "config" && second === "set");
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
