import type { Effect } from "../messages.js";
import { sanitizeLine } from "../sanitize.js";
import { callKey, type Feed, type FeedContext } from "./feed.js";

type CallEffect = Extract<Effect, { do: "call" }>;

/** Methods of the owner that rooms ask for. */
export const callFeed = (context: FeedContext): Feed => ({
  perform: (effect) => {
    if (effect.do === "call") context.run(`${effect.method} was not done`, () => called(context, effect));
  },
});

/** Without a name to answer to only a failure is told, by whoever runs this. */
async function called({ client, signal, send }: FeedContext, { method, params, to, reads }: CallEffect): Promise<void> {
  const options = reads === true ? { signal, repeat: true } : { signal, key: callKey() };
  if (to === undefined) return client.call(method, params, options).then(() => undefined);
  try {
    send({ type: "called", to, ok: true, result: await client.call(method, params, options) });
  } catch (error) {
    if (signal.aborted) return;
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    send({ type: "called", to, ok: false, code, message: sanitizeLine(error instanceof Error ? error.message : String(error)) });
  }
}
