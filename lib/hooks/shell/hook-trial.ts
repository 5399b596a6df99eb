import type { Clock } from "../../base/time/clock.js";
import type { Check } from "../../contracts/check.js";
import type { HookConsent, HookTrial } from "../../contracts/hooks/hooks-api.js";
import { reasonOf } from "../ask-callback.js";
import { dispatchOf, toolBlockOf } from "../read-answer.js";
import { approveCommand, NOT_RUN } from "./hook-consents.js";
import type { HookExecutor } from "./hook-executor.js";
import type { ShellHook } from "./shell-hook.js";

/** What a trial needs: who runs the hook, and a clock for how long it took. */
export interface HookTrialDeps {
  readonly executor: HookExecutor;
  readonly clock: Clock;
}

/** The fields of a payload that every hook may read, with those of a trial in their place. */
export const trialPayload = (hook: { readonly event: string; readonly cwd: string }, fields: object): object => ({
  hook_event_name: hook.event,
  tool_name: null,
  tool_input: null,
  session_id: null,
  cwd: hook.cwd,
  extra: {},
  ...fields,
});

/** Run a hook once on a payload, and say what it decides. Never rejects. */
export async function tryHook(
  hook: ShellHook,
  payload: object,
  { executor, clock }: HookTrialDeps,
  signal: AbortSignal,
): Promise<HookTrial> {
  const opened = executor.open(hook);
  const started = clock.mono();
  const trial = ({ outcome, detail }: Verdict): HookTrial => ({
    command: hook.command,
    outcome,
    detail,
    ms: Math.round(clock.mono() - started),
  });
  if (!opened.approved) return trial({ outcome: "failed", detail: opened.why });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(hook.timeoutSeconds * 1_000)]);
  try {
    return trial(verdictOf(hook, await opened.run(payload, limit)));
  } catch (error) {
    return trial({ outcome: "failed", detail: reasonOf(error) });
  }
}

type Verdict = Pick<HookTrial, "outcome" | "detail">;

function verdictOf({ event }: ShellHook, answer: unknown): Verdict {
  if (event === "pre_tool_call") {
    const reading = toolBlockOf(answer);
    if (!reading.ok) return { outcome: "failed", detail: reading.why };
    if (reading.value === undefined) return { outcome: "allowed", detail: "no objection" };
    return { outcome: "blocked", detail: reading.value.block };
  }
  const detail = answer === undefined ? "no answer" : JSON.stringify(answer);
  if (event !== "pre_gateway_dispatch") return { outcome: "allowed", detail };
  const reading = dispatchOf(answer);
  if (!reading.ok) return { outcome: "failed", detail: reading.why };
  return { outcome: reading.value?.action === "skip" ? "blocked" : "allowed", detail };
}

/** One hook as a line of `agent hooks doctor`: run on an empty payload where it is approved. */
export async function checkHook(
  hook: ShellHook,
  consent: HookConsent,
  deps: HookTrialDeps,
  signal: AbortSignal,
): Promise<Check> {
  const name = `hook ${hook.event}`;
  if (consent !== "approved")
    return {
      name,
      status: consent === "missing" ? "fail" : "warn",
      detail: `'${hook.command}': ${NOT_RUN[consent]}`,
      fix: approveCommand(hook),
    };
  const payload = trialPayload({ event: hook.event, cwd: "/" }, { tool_name: "doctor", tool_input: {} });
  const { outcome, detail, ms } = await tryHook(hook, payload, deps, signal);
  if (outcome === "failed")
    return { name, status: "fail", detail: `'${hook.command}': ${detail}`, fix: `agent hooks test ${hook.event}` };
  return { name, status: "ok", detail: `'${hook.command}': ${outcome} in ${ms} ms` };
}
