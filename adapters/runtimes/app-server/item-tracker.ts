import { isRecord } from "../../../lib/base/json/record.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";
import { callOf, createProjector, INTERRUPTED, succeeded } from "./items.js";

type Params = Readonly<Record<string, unknown>>;

/** Output of a command is kept so far, for the case that its end is never told. */
const OUTPUT_CHARS = 100_000;

/** The items of one turn: shown while the program works them, stored when they have ended. */
export interface ItemTracker {
  /** Items that were started, by id: requests for approval refer to them. */
  readonly started: ReadonlyMap<string, unknown>;
  /** Remember an item at once, also while notifications before it wait to be stored. */
  announce(item: Params): void;
  /** Show that an item begins. */
  begin(item: Params): void;
  /** Show a piece of a message. */
  showText(itemId: unknown, delta: unknown): void;
  /** Show output of a call, and keep it until the call has ended. */
  addOutput(itemId: unknown, text: unknown): void;
  /** Store an item that has ended. */
  complete(item: Params): Promise<void>;
  /** Store the calls that have not ended as interrupted. */
  interruptOpen(): Promise<void>;
  /** Processes of the commands that have not ended, as the program names them. */
  processes(): readonly string[];
  /** Last text of the agent so far. */
  answer(): string;
}

/** @see ItemTracker */
export function createItemTracker(host: Pick<RuntimeHost, "item" | "live">): ItemTracker {
  const projector = createProjector();
  const started = new Map<string, unknown>();
  /** Calls that have not ended, with their output so far. */
  const open = new Map<string, { readonly item: Params; output: string }>();
  /** Messages that were shown in pieces. */
  const shownText = new Set<string>();

  const complete = async (item: Params): Promise<void> => {
    const call = callOf(item);
    const id = String(item["id"]);
    open.delete(id);
    if (item["type"] === "agentMessage" && !shownText.has(id) && typeof item["text"] === "string")
      host.live({ kind: "text", delta: item["text"] });
    const projected = projector.project(item);
    if (projected !== undefined) await host.item(projected);
    if (call !== undefined) host.live({ kind: "called", callId: call.id, ok: succeeded(item) });
  };
  return {
    started,
    announce: (item) => started.set(String(item["id"]), item),
    begin: (item) => {
      const call = callOf(item);
      if (call === undefined) return;
      open.set(String(item["id"]), { item, output: "" });
      host.live({ kind: "call", callId: call.id, tool: call.tool, preview: previewOf(item) });
    },
    showText: (itemId, delta) => {
      shownText.add(String(itemId));
      if (typeof delta === "string") host.live({ kind: "text", delta });
    },
    addOutput: (itemId, text) => {
      const item = started.get(String(itemId));
      const call = isRecord(item) ? callOf(item) : undefined;
      if (call === undefined || typeof text !== "string") return;
      host.live({ kind: "output", callId: call.id, text });
      const kept = open.get(String(itemId));
      if (kept !== undefined) kept.output = (kept.output + text).slice(0, OUTPUT_CHARS);
    },
    complete,
    interruptOpen: async () => {
      for (const { item, output } of [...open.values()])
        await complete({ ...item, status: INTERRUPTED, aggregatedOutput: output });
    },
    processes: () => [...open.values()].flatMap(({ item }) => processOf(item) ?? []),
    answer: () => projector.answer(),
  };
}

const processOf = ({ processId }: Params): string | undefined =>
  typeof processId === "string" ? processId : undefined;

/** What a call does, in one line. */
function previewOf(item: Params): string {
  const { command, changes, tool } = item;
  if (typeof command === "string") return command;
  if (!Array.isArray(changes)) return String(tool ?? "");
  return changes.map((change: unknown) => (isRecord(change) ? String(change["path"]) : "")).join(", ");
}
