import type { SessionId } from "../../base/units.js";
import type { ToolEntry } from "./entry.js";

/** Who asks for tools. */
export interface SourcePlace {
  readonly session?: SessionId;
  readonly lineage?: SessionId;
  readonly profile?: string;
}

/** Tools that come and go while the process runs: of MCP servers, of plugins. */
export interface ToolSource {
  /** Its tools now; cheap, from memory. Called once before a turn, so that a turn keeps its list. */
  entries(place: SourcePlace): readonly ToolEntry[];
  /** Toolsets that it will have, whose tools may not be there yet: a configured server that has not answered. Absent: those of its tools. */
  toolsets?(): readonly string[];
  /** What a new session waits for before its first turn; it resolves by itself when that has taken long enough. Absent: nothing. */
  ready?(signal: AbortSignal): Promise<void>;
}
