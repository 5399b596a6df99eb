import type { GatewayVerdict } from "../../proto/gateway-control.js";
import type { CommandResult } from "../define.js";

/** What became of gateways; a failed one makes the command fail. */
export function verdictsOf(verdicts: readonly GatewayVerdict[], all: boolean): CommandResult {
  const failed = verdicts.some(({ what }) => what === "failed");
  const text = verdicts.map((one) => (all ? `${one.profile}: ${lineOf(one)}` : sentenceOf(one))).join("\n");
  const warnings = verdicts.flatMap(({ profile, problems = [] }) =>
    problems.map((problem) => `warning: ${all ? `${profile}: ` : ""}${problem}`),
  );
  return { text, data: all ? verdicts : verdicts[0], warnings, exit: failed ? 1 : 0 };
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
