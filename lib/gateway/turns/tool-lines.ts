import { capsOf, type ToolProgress } from "../../contracts/gateway/platform-traits.js";
import type { LiveTurn, TurnObserver } from "./live-turns.js";
import type { Bubbles } from "./progress-messages.js";
import type { TurnSettings } from "./turn-settings.js";

export interface ToolLinesDeps {
  readonly settings: Pick<TurnSettings, "display" | "preview" | "cleanup">;
  readonly bubbles: Bubbles;
}

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/^(?:terminal|process|execute_code)$/, "💻"],
  [/search/, "🔎"],
  [/file|patch/, "📄"],
  [/^(?:web|browser|fetch)/, "🌐"],
  [/^(?:todo|kanban)/, "📋"],
  [/^delegate/, "👥"],
  [/^memory/, "🧠"],
];

/** One line of a call. `preview` is cut by characters; "" where it shall not be shown. */
export function toolLine(name: string, preview: string, most: number): string {
  const sign = SIGNS.find(([form]) => form.test(name))?.[1] ?? "🔧";
  const letters = [...preview.replace(/\s+/g, " ").trim()];
  const cut = letters.length > most ? `${letters.slice(0, Math.max(0, most - 1)).join("")}…` : letters.join("");
  return most === 0 || cut === "" ? `${sign} ${name}` : `${sign} ${name}: ${cut}`;
}

/** The calls of a turn as lines of one message that grows (gateway part, 11.6). */
export function createToolLines({ settings, bubbles }: ToolLinesDeps): (live: LiveTurn) => TurnObserver {
  return (live) => {
    const { platform } = live.event;
    const tier: ToolProgress = settings.display(platform).tools;
    if (tier === "off") return {};
    const bubble = bubbles.open(live);
    const { textMax } = capsOf(platform);
    let lines: readonly string[] = [];
    let last = "";
    return {
      on: ({ event, data }) => {
        if (event !== "tool.started" || data["parent_call_id"] !== undefined) return;
        const name = String(data["name"]);
        if (tier === "new" && name === last) return;
        last = name;
        const shown =
          tier === "verbose"
            ? toolLine(name, String(data["args"] ?? ""), 1_000)
            : toolLine(name, String(data["preview"] ?? ""), settings.preview());
        lines = fitted([...lines, shown], textMax);
        bubble.show(lines.join("\n"));
      },
      stop: () => bubble.close(settings.cleanup()),
    };
  };
}

/** The last lines, as many as one message holds. */
function fitted(lines: readonly string[], max: number): readonly string[] {
  let first = 0;
  let length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  while (length > max && first < lines.length - 1) {
    length -= (lines[first]?.length ?? 0) + 1;
    first += 1;
  }
  return lines.slice(first);
}
