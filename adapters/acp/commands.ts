import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";

/** Slash commands that make sense in an editor: they concern the conversation, and need no screen of ours. */
const SENSIBLE: ReadonlySet<string> = new Set([
  "agents",
  "background",
  "compress",
  "context",
  "cost",
  "fast",
  "goal",
  "help",
  "insights",
  "model",
  "reasoning",
  "redo",
  "retry",
  "rollback",
  "status",
  "title",
  "undo",
  "yolo",
]);

interface ListedCommand {
  readonly path: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags?: readonly unknown[];
  readonly positionals: readonly string[];
}

/** The commands that an editor offers, with those of skills, bundles and plugins. @throws the owner's error */
export async function listCommands(line: OwnerLine, cwd: string): Promise<AvailableCommand[]> {
  const rows = await line.call<readonly ListedCommand[]>("command.list", { surface: "slash", cwd }, { repeat: true });
  return rows.filter(isSensible).map(({ path, summary, usage, positionals }) => {
    const hint = /^usage: \/\S+\s+(.+)/.exec(usage.split("\n")[0] ?? "")?.[1];
    const takes = hint !== undefined || positionals.length > 0;
    return {
      name: path,
      description: summary.split("\n")[0] ?? path,
      ...(takes ? { input: { hint: hint ?? positionals.join(" ") } } : {}),
    };
  });
}

/** What runtime parts bring has no options of its own in the list. */
function isSensible({ path, flags = [], positionals, usage }: ListedCommand): boolean {
  if (SENSIBLE.has(path)) return true;
  return !path.includes(" ") && flags.length === 0 && positionals.length === 0 && usage.startsWith(`usage: /${path} `);
}
