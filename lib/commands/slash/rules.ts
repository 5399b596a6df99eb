import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { SlashCall } from "../../contracts/chat/slash.js";
import type { CommandEntry } from "../entry.js";
import { allowedWords, isAllowed } from "./surfaces.js";

type Params = Readonly<Record<string, unknown>>;

interface Closed {
  readonly path: string;
  /** Only with this option. */
  readonly flag?: string;
  /** Only from messaging platforms; else in no chat. */
  readonly messaging?: true;
  readonly hint: string;
}

const FOLLOWS = "it follows until stopped, which a chat cannot do";
const FILES = "it uses local files";

/** What a chat cannot do (board part, 12). */
const CLOSED: readonly Closed[] = [
  {
    path: "kanban tail",
    hint: `${FOLLOWS}; /kanban show <id> shows the newest events, \`agent kanban tail <id>\` follows them in a terminal`,
  },
  {
    path: "kanban watch",
    hint: `${FOLLOWS}; /kanban notify subscribe --all-tasks notifies a chat, \`agent kanban watch\` follows in a terminal`,
  },
  { path: "kanban log", flag: "follow", hint: `${FOLLOWS}; /kanban log <id> --tail 2000 shows its end` },
  { path: "kanban daemon", hint: "it needs a terminal of its own; `agent --headless` is the long-lived owner" },
  { path: "kanban attach", messaging: true, hint: `${FILES}; use \`agent kanban attach\` there` },
  { path: "save", messaging: true, hint: `${FILES}; use \`agent sessions export\` there` },
  { path: "history", messaging: true, hint: "the chat is its own history; `agent sessions show` prints it" },
  { path: "kanban create", flag: "attach", messaging: true, hint: `${FILES}; use \`agent kanban attach\` there` },
  { path: "kanban create", flag: "body_file", messaging: true, hint: `${FILES}; pass the text with --body` },
  { path: "kanban edit", flag: "body_file", messaging: true, hint: `${FILES}; pass the text with --body` },
  { path: "kanban boards export", messaging: true, hint: `${FILES}; use \`agent kanban boards export\` there` },
  { path: "kanban boards import", messaging: true, hint: `${FILES}; use \`agent kanban boards import\` there` },
  ...["add", "allow", "deny", "edits", "mode", "revoke", "test", "trust", "untrust"].map(
    (verb): Closed => ({
      path: `permissions ${verb}`,
      messaging: true,
      hint: `permissions are managed on the machine; use \`agent permissions ${verb}\` there`,
    }),
  ),
  {
    path: "kanban doctor",
    flag: "fix",
    messaging: true,
    hint: "repairs are made on the machine; /kanban doctor lists them",
  },
];

const used = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** Why a chat cannot do this, or undefined. */
export function explainChatRefusal(
  entry: CommandEntry,
  params: Params,
  origin: ChatOrigin | undefined,
): string | undefined {
  const rule = CLOSED.find(
    ({ path, flag, messaging }) =>
      path === entry.path && (flag === undefined || used(params[flag])) && (messaging !== true || origin !== undefined),
  );
  if (rule !== undefined)
    return `/${rule.path}${rule.flag === undefined ? "" : ` --${rule.flag.replaceAll("_", "-")}`} is not available in a chat: ${rule.hint}`;
  return entry.follow === true ? `/${entry.path} is not available in a chat: ${FOLLOWS}` : undefined;
}

const ADMIN_FLAGS: Readonly<Record<string, string>> = { "kanban archive": "rm" };
const ADMIN = new Set(
  ["rm", "restore", "pause", "resume"].map((verb) => `kanban boards ${verb}`).concat("kanban gc", "kanban dispatch"),
);

/** Reading verbs that show more than the board: files of a repository. */
const SHOWS_FILES = new Set(["kanban diff"]);

/** It loosens what asks first, but who may decide is said by the question itself (gateway part, 14.1). */
const ANSWERS = new Set(["approve"]);

/** The same for words whose command no chat has. */
export function closedWords(words: readonly string[]): string | undefined {
  const rule = CLOSED.find(({ path, flag }) => flag === undefined && words.slice(0, 2).join(" ") === path);
  return rule && `/${rule.path} is not available in a chat: ${rule.hint}`;
}

/** It goes on until it is stopped. */
export const goesOn = (entry: CommandEntry, params: Params): boolean =>
  entry.follow === true || (entry.path === "kanban log" && params["follow"] === true);

/** What a command is for the tiers of a chat: that of its definition, and more where an option destroys. */
function classOf(entry: CommandEntry, params: Params): "read" | "write" | "admin" {
  const flag = ADMIN_FLAGS[entry.path];
  if (ADMIN.has(entry.path) || (flag !== undefined && used(params[flag]))) return "admin";
  if (SHOWS_FILES.has(entry.path) || ANSWERS.has(entry.path)) return "write";
  return entry.access;
}

/** Writing verbs that every member has. */
const OPEN = new Set(["kanban create", "kanban comment"]);
const OWN_CHAT = new Set(["kanban notify subscribe", "kanban notify unsubscribe"]);

/** Why this member may not, or undefined. */
export function forbidden(entry: CommandEntry, params: Params, { origin, member }: SlashCall): string | undefined {
  if (origin === undefined || member === undefined || member.tier === "admin") return undefined;
  const kind = classOf(entry, params);
  if (member.tier === undefined) {
    if (kind !== "admin" || (!member.group && member.admins !== true)) return undefined;
    return `/${entry.path} is for admins${member.admins === true ? "" : "; groups do not have admins until tiers are configured"}`;
  }
  if (!entry.path.startsWith("kanban ")) {
    const may = isAllowed(entry, member) && kind !== "admin";
    return may ? undefined : `you may not use /${entry.path} here; you may use ${allowedWords(member)}`;
  }
  if (kind === "read" || OPEN.has(entry.path) || isAllowed(entry, member)) return undefined;
  if (OWN_CHAT.has(entry.path)) return isOwn(params, origin) ? undefined : "you may subscribe this chat only";
  return `you may not use /${entry.path} here; you may use ${allowedWords(member)}, and the /kanban commands that read, create and comment`;
}

function isOwn(params: Params, origin: ChatOrigin): boolean {
  const { platform, chat_id } = params;
  return (
    (platform === undefined || platform === origin.platform) && (chat_id === undefined || chat_id === origin.chat_id)
  );
}
