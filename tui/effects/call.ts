import { linkSignals } from "../../lib/base/async/abort-any.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Effect } from "../model/messages.js";
import { callKey, type EffectContext, type EffectRunner } from "./effect.js";

type CallEffect = Extract<Effect, { do: "call" }>;

/** Methods of the owner that reducers ask for. */
export const createCallEffects = (context: EffectContext): EffectRunner => ({
  perform: (effect) => {
    if (effect.do === "call") context.run(`${effect.method} failed`, () => called(context, effect));
  },
});

/** A call without a name to answer to reports only a failure, through its runner. */
async function called({ client, signal, send, options: { after } }: EffectContext, effect: CallEffect): Promise<void> {
  const { method, params, to, reads, withinMs } = effect;
  const late = new AbortController();
  const link = linkSignals(signal, late.signal);
  const cancel =
    withinMs === undefined ? undefined : after(withinMs, () => late.abort(new Error("the owner does not respond")));
  const options = reads === true ? { signal: link.signal, repeat: true } : { signal: link.signal, key: callKey() };
  try {
    const result = await client.call(method, params, options);
    if (to !== undefined) send({ type: "called", to, ok: true, result });
  } catch (error) {
    if (signal.aborted) return;
    if (to === undefined) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    send({
      type: "called",
      to,
      ok: false,
      code,
      message: sanitizeLine(error instanceof Error ? error.message : String(error)),
    });
  } finally {
    cancel?.();
    link.dispose();
  }
}
