import * as z from "zod";
import { bench } from "../../fixtures/worlds/tool-context.js";
import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import type { Hooks } from "../../lib/contracts/hooks/hooks.js";
import { createHookBus } from "../../lib/hooks/hook-bus.js";
import { defineTool, type ToolContext } from "../../lib/tools/core/define.js";
import { createGuardrails } from "../../lib/tools/run/guardrails.js";
import { runCalls } from "../../lib/tools/run/pipeline.js";
import { inRounds, median, medianRatio, type Row } from "./measure.js";

const ROUNDS = 11;
/** Calls of one round. */
const CALLS = 500;

const nothing = defineTool({
  name: "nothing",
  toolset: "bench",
  description: "Does nothing.",
  params: z.object({ text: z.string() }),
  risk: "read",
  effects: () => ({ reads: [], writes: [] }),
  limits: { ms: 10_000, chars: 10_000 },
  preview: () => "nothing",
  run: async ({ text }) => ({ text }),
});

/** What a call costs with one hook that does nothing at each point of it: before, after, and for its result. */
export async function benchHooks(): Promise<Row[]> {
  const ends: (() => void | Promise<void>)[] = [];
  const { context } = bench({ after: (end: () => void | Promise<void>) => void ends.push(end) } as Parameters<
    typeof bench
  >[0]); // a test's `after`
  const bus = createHookBus({ clock: systemClock, log: silentLog, timeoutMs: () => 30_000 });
  for (const name of ["pre_tool_call", "post_tool_call", "transform_tool_result"] as const)
    bus.add(name, () => undefined, { source: "bench" });
  const times = await inRounds(ROUNDS, { hooked: () => timeCalls(context, bus), plain: () => timeCalls(context) });
  for (const end of ends) await end();
  const [hooked = [], plain = []] = [times.get("hooked"), times.get("plain")];
  const note = `${median(hooked).toFixed(3)} / ${median(plain).toFixed(3)} ms`;
  return [
    {
      name: "a call with do-nothing hooks - without",
      value: median(hooked.map((ms, round) => ms - (plain[round] ?? Number.NaN))),
      unit: "ms",
      bound: { is: "<=", of: 0.2, scales: true },
      note,
    },
    { name: "a call that does nothing, hooked / plain", value: medianRatio(hooked, plain), unit: "x", note },
  ];
}

/** Milliseconds of one call, over many. */
async function timeCalls(context: ToolContext, hooks?: Hooks): Promise<number> {
  const limits = { exact: 1e9, sameTool: 1e9, noProgress: 1e9 };
  const guard = createGuardrails({ warnings: false, hardStop: false, warnAfter: limits, stopAfter: limits });
  const permit: ToolContext["permit"] = async () => ({ allowed: true, by: "no risk" });
  const own = { ...context, permit, ...(hooks === undefined ? {} : { hooks }) };
  const deps = {
    tools: new Map([[nothing.name, nothing]]),
    context: (callId: string, signal: AbortSignal) => ({ ...own, callId, signal }),
    signal: context.signal,
    guard,
    clock: systemClock,
    resultDir: context.home.cache,
  };
  const started = systemClock.mono();
  for (let n = 0; n < CALLS; n += 1)
    await runCalls(
      [{ id: `c${n}`, name: nothing.name, arguments: `{"text":"call ${n}"}` }],
      deps,
      async () => undefined,
      async () => undefined,
    );
  return (systemClock.mono() - started) / CALLS;
}
