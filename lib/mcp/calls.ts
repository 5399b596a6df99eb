import type { SessionId } from "../base/units.js";
import type { SideUse } from "../contracts/chat/compact.js";
import type { McpAsked } from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { ToolContext } from "../tools/core/define.js";
import { elicitResult, formOf } from "./elicitation.js";
import type { McpPoolParts } from "./parts.js";
import { rootsOf } from "./roots.js";
import { createSampling } from "./sampling.js";

/** A call of a model that runs at a server. */
export interface RunningCall {
  readonly session: SessionId;
  readonly ctx: ToolContext;
}

/** The calls that run at one server, oldest first: what the server asks meanwhile is asked of the newest one. */
export interface Calls {
  /** @returns what ends it */
  begin(call: RunningCall): () => void;
  newest(): RunningCall | undefined;
}

export function createCalls(): Calls {
  const running = new Set<RunningCall>();
  return {
    begin: (call) => {
      running.add(call);
      return () => {
        running.delete(call);
      };
    },
    newest: () => [...running].at(-1),
  };
}

/** @see McpPoolParts */
export interface AskedParts extends Pick<McpPoolParts, "aux" | "clock" | "env"> {
  /** Directories of the sessions that use servers. */
  readonly directories: () => readonly string[];
}

/** What a server of the older era may ask while calls run (extensions part, 2.7). */
export function askedOf(
  server: string,
  entry: McpEntry,
  calls: Pick<Calls, "newest">,
  { aux, clock, env, directories }: AskedParts,
): McpAsked {
  const tell = (text: string): void => calls.newest()?.ctx.progress(`${text}\n`);
  const used = async (use: SideUse): Promise<void> => calls.newest()?.ctx.addSideUse?.(use);
  const sampling =
    aux === undefined || !entry.sampling.enabled
      ? undefined
      : createSampling({ server, settings: entry.sampling, aux, clock, tell, used });
  const roots = rootsOf(entry, directories, env["HOME"]);
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots }),
    elicit: async (params, signal) => {
      const ask = calls.newest()?.ctx.askForm;
      const form = formOf(server, params, clock.now() + entry.max_timeout * 1000);
      if (ask === undefined || form === undefined) return { action: "decline" };
      const gone = new Promise<{ action: "cancel"; content: Record<string, never> }>((resolve) => {
        signal.addEventListener("abort", () => resolve({ action: "cancel", content: {} }), { once: true });
      });
      return elicitResult(await Promise.race([ask(form), gone]));
    },
  };
}
