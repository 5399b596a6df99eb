import type { SessionListRow } from "./types.js";

/** Conversations that a person begins in a directory of their choice. Workers have scratch directories, chats of platforms one for all. */
const BY_PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline"]);

/** Directory that a new conversation is offered: that of the newest conversation which a person began. `rows`: the newest first. */
export const findUsualDirectory = (rows: readonly Pick<SessionListRow, "source" | "cwd">[]): string =>
  rows.find(({ source }) => BY_PEOPLE.has(source))?.cwd ?? "";
