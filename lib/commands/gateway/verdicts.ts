import type { GatewayVerdict } from "../../contracts/gateway/control.js";
import type { CommandResult } from "../define.js";

/** What became of gateways. A failed one makes the command fail: with its exit code when all that failed have the same one, else with 1. */
export function verdictsOf(verdicts: readonly GatewayVerdict[], all: boolean): CommandResult {
  const text = verdicts.map((one) => (all ? `${one.profile}: ${lineOf(one)}` : sentenceOf(one))).join("\n");
  const warnings = verdicts.flatMap(({ profile, problems = [] }) =>
    problems.map((problem) => `warning: ${all ? `${profile}: ` : ""}${problem}`),
  );
  return { text, data: all ? verdicts : verdicts[0], warnings, exit: exitOf(verdicts) };
}

function exitOf(verdicts: readonly GatewayVerdict[]): number {
  const codes = new Set(verdicts.filter(({ what }) => what === "failed").map(({ exit = 1 }) => exit));
  const [only] = codes;
  return codes.size > 1 ? 1 : (only ?? 0);
}

function lineOf({ what, pid, reason }: GatewayVerdict): string {
  if (what === "failed") return `failed: ${reason}`;
  return pid === undefined || what === "stopped" ? what : `${what} (pid ${pid})`;
}

function sentenceOf(one: GatewayVerdict): string {
  const { what, pid, stays } = one;
  if (what === "not running") return "the gateway is not running";
  if (what === "already running") return `the gateway is already running (pid ${pid})`;
  if (stays === true) return `the gateway is stopped; the workspace (pid ${pid}) stays open`;
  return `the gateway is ${what === "stopped" ? "stopped" : `${what} (pid ${pid})`}`;
}
