import type { Transcript } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { ToolPorts } from "../../tools/core/define.js";
import { processesOf } from "../../tools/shell/registry.js";
import { type Compactor, createCompactor } from "../compaction/compactor.js";
import { createSummariser, type Summariser } from "../compaction/summary.js";
import type { ConversationTools } from "../transcript/tool-state.js";
import type { AskModel } from "../turn/turn-types.js";

/** What the conversations of a process share for it. */
export interface CompactionPorts {
  readonly ports: Pick<ToolPorts, "clock" | "ids" | "spawner">;
  readonly config: Config;
  readonly ask: AskModel;
  readonly side?: AuxClient["ask"];
  readonly summariser?: Summariser;
}

/** What a conversation gives to its compaction. */
export interface CompactionHost {
  readonly transcript: Transcript;
  readonly state: ConversationTools;
  redact(text: string): string;
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  /** A system prompt for the segment that the transcript is in now. */
  rebuild(): Promise<string>;
}

/** Compaction of a conversation that is open in this process. */
export function attachCompactor(
  deps: CompactionPorts,
  { transcript, state, redact, live, rebuild }: CompactionHost,
): Compactor {
  const { ports, config, ask, side } = deps;
  return createCompactor({
    transcript,
    config,
    redact,
    live,
    rebuild,
    clock: ports.clock,
    ids: ports.ids,
    summariser: deps.summariser ?? createSummariser({ clock: ports.clock, side, ask }),
    processes: () =>
      [...processesOf(state, ports.spawner).all.values()]
        .filter(({ exitCode }) => exitCode === undefined)
        .map(({ id, command }) => ({ id, command })),
    moved: () => state.forget(),
  });
}
