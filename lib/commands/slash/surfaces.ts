import type { ChatMember } from "../../contracts/chat/slash.js";
import type { CommandEntry } from "../entry.js";

/** First words of what chats on messaging platforms have (core part, 14.2; gateway part, 9.2). Everything else needs a terminal. */
const IN_CHATS: ReadonlySet<string> = new Set([
  "new",
  "title",
  "resume",
  "switch",
  "sessions",
  "branch",
  "archive",
  "undo",
  "redo",
  "retry",
  "compress",
  "rollback",
  "checkpoint",
  "stop",
  "queue",
  "steer",
  "background",
  "agents",
  "goal",
  "subgoal",
  "approve",
  "deny",
  "yolo",
  "permissions",
  "skills",
  "topic",
  "help",
  "commands",
  "status",
  "whoami",
  "profile",
  "cost",
  "context",
  "insights",
  "version",
  "model",
  "reasoning",
  "fast",
  "footer",
  "sethome",
  "restart",
  "platform",
  "bundles",
  "curator",
  "kanban",
  "cron",
  "mcp",
  "browser",
  "voice",
  "memory",
  "reload-mcp",
  "reload-skills",
  "vendor-runtime",
]);

/** Of these words only some commands are there. */
const NARROW: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["sessions", new Set(["sessions list"])],
  ["profile", new Set(["profile list", "profile show"])],
  ["skills", new Set(["pending", "approve", "reject", "diff", "undo"].map((verb) => `skills ${verb}`))],
]);

const firstOf = (path: string): string => path.split(" ")[0] ?? "";

/** Whether a chat on a messaging platform has a command at all. */
export function isInChats({ path }: Pick<CommandEntry, "path">): boolean {
  const first = firstOf(path);
  return IN_CHATS.has(first) && (NARROW.get(first)?.has(path) ?? true);
}

/** What a member of a chat with tiers always has. */
const EVERYBODYS: ReadonlySet<string> = new Set(["help", "commands", "whoami"]);

/** Whether the list of a member names a command, by any of its names. */
export function isAllowed(
  { path, aliases = [] }: Pick<CommandEntry, "path" | "aliases">,
  { allows }: Pick<ChatMember, "allows">,
): boolean {
  const names = [path, ...aliases].map(firstOf);
  return names.some((name) => EVERYBODYS.has(name)) || allows.some((one) => names.includes(plain(one)));
}

/** What a member may run, as it is shown: `/help, /whoami, /kanban`. */
export const allowedWords = ({ allows }: Pick<ChatMember, "allows">): string =>
  ["help", "whoami", ...allows.map(plain)].map((name) => `/${name}`).join(", ");

const plain = (name: string): string => name.replace(/^\//, "").toLowerCase().replaceAll("_", "-");
