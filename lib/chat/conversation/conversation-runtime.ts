import { callbackTools } from "../turn/callback-tools.js";
import type { TurnRuntime } from "../turn/turn-types.js";
import type { ConversationDeps, ConversationInput, OpenRuntime } from "./conversation-types.js";

/** Programs of other makers that work the turns of a conversation (extensions part, 8). */
export interface ConversationRuntimes {
  /**
   * The program for turns that this provider serves; undefined: the loop works them.
   *
   * @param model that the user chose
   * @param force ends the program when nothing may be waited for any more
   */
  of(provider: string, model: string | undefined, force: AbortSignal | undefined): Promise<TurnRuntime | undefined>;
  /** Ends them. Harmless twice. */
  close(): Promise<void>;
}

export function conversationRuntimes(
  { runtimeFor, log }: Pick<ConversationDeps, "runtimeFor" | "log">,
  { cwd, env, child }: Pick<ConversationInput, "cwd" | "env" | "child">,
): ConversationRuntimes {
  /** By provider; a failed opening is tried again by the next turn. */
  const opened = new Map<string, OpenRuntime | undefined>();
  const callback = callbackTools();
  return {
    of: async (provider, model, force) => {
      if (runtimeFor === undefined || child !== undefined) return undefined;
      if (!opened.has(provider)) opened.set(provider, await runtimeFor({ provider, cwd, env, tools: callback.tools }));
      const runtime = opened.get(provider);
      if (runtime === undefined) return undefined;
      const { id, program, timeoutMs } = runtime;
      force?.addEventListener(
        "abort",
        () => {
          program.close().catch((error: unknown) => log.warning("a program did not end", { error: String(error) }));
        },
        { once: true },
      );
      return { id, program, cwd, timeoutMs, callback, ...(model === undefined ? {} : { model }) };
    },
    close: async () => {
      const all = [...opened.values()].filter((one) => one !== undefined);
      opened.clear();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
