import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { layTables } from "../../../lib/gateway/text/tables.js";

/** A message as the platform takes it: `content` is JSON in a text. */
export interface OutMessage {
  readonly msg_type: "text" | "post" | "interactive" | "image" | "file" | "audio" | "media";
  readonly content: string;
}

const MARKUP = /\*\*|__|~~|`|^#{1,6} |^\s*(?:[-*+]|\d+\.) |^> |\[[^\]\n]+\]\([^)\s]+\)|(?<![\w*])\*[^\s*]/m;
const TABLE = /^\s*\|?[ :|-]*-{3,}[ :|-]*\|[ :|-]*$/m;

/** What the platform would make of it rings for everybody. */
const harmless = (text: string): string => text.replaceAll(/<(\/?)at\b/gi, "<$1\u200bat");

export const textMessage = (text: string): OutMessage => ({
  msg_type: "text",
  content: JSON.stringify({ text: harmless(text) }),
});

/** Plain words as text, Markdown as a post; tables as lists of text, for posts show them broken (gateway part, 16.4.4). */
export function messageOf({ text, format, extra }: SendPayload): OutMessage {
  const buttons = buttonsOf(extra);
  if (buttons.length > 0) return cardOf(text, buttons);
  if (format === "markdown" && TABLE.test(text)) return textMessage(layTables(text, "list"));
  if (format !== "markdown" || !MARKUP.test(text)) return textMessage(text);
  const post = { zh_cn: { content: [[{ tag: "md", text: harmless(text) }]] } };
  return { msg_type: "post", content: JSON.stringify(post) };
}

/** A post of an image with words. */
export function captioned(imageKey: string, text: string): OutMessage {
  const post = { zh_cn: { content: [[{ tag: "img", image_key: imageKey }], [{ tag: "md", text: harmless(text) }]] } };
  return { msg_type: "post", content: JSON.stringify(post) };
}

interface CardButton {
  readonly text: string;
  readonly data: string;
}

export function cardOf(text: string, rows: readonly (readonly CardButton[])[]): OutMessage {
  const actions = rows.filter((row) => row.length > 0).map((row) => ({ tag: "action", actions: row.map(actionOf) }));
  const elements = [{ tag: "markdown", content: harmless(text) }, ...actions];
  return { msg_type: "interactive", content: JSON.stringify({ config: { wide_screen_mode: true }, elements }) };
}

function actionOf({ text, data }: CardButton): object {
  const value = { agent_action: data, approval_id: data.split(":").at(-1) ?? "" };
  return { tag: "button", text: { tag: "plain_text", content: text }, type: "default", value };
}

/** Rows of `{text, data}` under `buttons`. */
export function buttonsOf(extra: SendPayload["extra"]): readonly (readonly CardButton[])[] {
  const rows = extra?.["buttons"];
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) => (Array.isArray(row) ? row.map(buttonOf) : []));
}

function buttonOf(button: unknown): CardButton {
  const { text = "", data = "" } =
    typeof button === "object" && button !== null ? (button as { text?: unknown; data?: unknown }) : {}; // its fields stay unknown
  return { text: String(text), data: String(data) };
}
