import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";
import type { ModelRow } from "../../lib/contracts/models/model-rows.js";

export type ModeId = "ask" | "yolo";

/** What an editor can set in a conversation, as it is now. */
export interface EditorConfig {
  readonly mode: ModeId;
  /** Name of the model in use. */
  readonly model: string;
  readonly options: SessionConfigOption[];
}

const MODES = [
  { id: "ask", name: "Ask", description: "Ask before commands and writes that may do harm." },
  { id: "yolo", name: "Yolo", description: "Ask about nothing. Denied and always-blocked calls remain so." },
] as const;

/** Options of an editor; a longer list does not help. */
const MOST_MODELS = 200;

/** @throws the owner's error */
export async function readConfig(line: OwnerLine, session: string): Promise<EditorConfig> {
  const [rows, state] = await Promise.all([
    line.call<readonly ModelRow[]>("models.list", { session_id: session }, { repeat: true }),
    line.call<{ readonly yolo: boolean; readonly session: { readonly model: string } }>(
      "session.attach",
      { session_id: session },
      { repeat: true },
    ),
  ]);
  const usable = rows.filter(({ problem, needs }) => problem === "" && needs === undefined);
  const current = usable.find((row) => row.current);
  const mode: ModeId = state.yolo ? "yolo" : "ask";
  return {
    mode,
    model: current?.model ?? state.session.model,
    options: [modeOption(mode), ...(current === undefined ? [] : [modelOption(usable, current)])],
  };
}

function modeOption(mode: ModeId): SessionConfigOption {
  const options = MODES.map(({ id, name, description }) => ({ value: id, name, description }));
  return { type: "select", id: "mode", name: "Approvals", category: "mode", currentValue: mode, options };
}

function modelOption(rows: readonly ModelRow[], current: ModelRow): SessionConfigOption {
  const shown = [current, ...rows.filter((row) => row !== current)].slice(0, MOST_MODELS);
  const options = shown.map(({ name, model, provider }) => ({ value: name, name: `${model} (${provider})` }));
  return { type: "select", id: "model", name: "Model", category: "model", currentValue: current.name, options };
}

/** The same for editors that know modes only. */
export const toModes = ({ mode }: EditorConfig): SessionModeState => ({
  currentModeId: mode,
  availableModes: MODES.map((one) => ({ ...one })),
});

/** The slash command that sets an option; undefined: unknown option or value. */
export function settingCommand(id: string, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (id === "mode") return value === "ask" ? "/yolo off" : value === "yolo" ? "/yolo on" : undefined;
  return id === "model" && /^\S+$/.test(value) ? `/model ${value}` : undefined;
}
