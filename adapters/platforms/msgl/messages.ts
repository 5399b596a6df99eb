import { statPath } from "../../../lib/base/fs/files.js";
import type { Outgoing, SendKind, SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { bubblesOf } from "../../../lib/gateway/text/bubbles.js";
import type { Message } from "./api.js";
import { PREVIEW, type ServedFiles } from "./served.js";
import { soundLength } from "./sound.js";

type OutFile = NonNullable<SendPayload["file"]>;

export interface MessageParts {
  readonly publicUrl: string | undefined;
  readonly served: Pick<ServedFiles, "share">;
}

/** Limits of the platform. */
const IMAGE_BYTES = 10 << 20;
const MEDIA_BYTES = 200 << 20;
const ALT_CHARS = 400;
const TEMPLATE_CHARS = 160;
const LABEL_CHARS = 20;
const DISPLAY_CHARS = 300;

/** Unrequested messages: they come without files. */
const UNASKED: ReadonlySet<SendKind> = new Set(["cron", "webhook", "board", "tool", "notice", "pairing"]);

/** The messages of one row; `refused`: they can never be sent. */
export async function messagesOf(
  parts: MessageParts,
  row: Outgoing,
): Promise<readonly Message[] | { readonly refused: string }> {
  const { payload, kind } = row;
  const button = buttonOf(payload);
  if (button !== undefined) return [button];
  const notes = payload.file === undefined ? [] : await fileMessages(parts, payload.file, UNASKED.has(kind));
  const said = bubblesOf(payload, capsOf("msgl")).map(textMessage);
  const all = [...said, ...notes];
  if (all.length === 0) return { refused: "the message is empty" };
  const most = capsOf("msgl").messagesPerCall;
  return all.length > most ? { refused: `the text is longer than ${most} messages` } : all;
}

const textMessage = (text: string): Message => ({ type: "text", text });

/** The button under which a slow answer will be found. */
function buttonOf({ text, extra }: SendPayload): Message | undefined {
  const slow = extra?.["slow"];
  if (typeof slow !== "object" || slow === null || !("requestId" in slow) || !("label" in slow)) return undefined;
  const label = cut(String(slow.label), LABEL_CHARS);
  const data = JSON.stringify({ action: "show_response", request_id: String(slow.requestId) });
  return {
    type: "template",
    altText: cut(text, ALT_CHARS),
    template: {
      type: "buttons",
      text: cut(text, TEMPLATE_CHARS),
      actions: [{ type: "postback", label, data, displayText: cut(String(slow.label), DISPLAY_CHARS) }],
    },
  };
}

/** At most so many code units, and no half of a pair. */
function cut(text: string, max: number): string {
  const end = /[\uD800-\uDBFF]/.test(text[max - 1] ?? "") ? max - 1 : max;
  return text.length > max ? text.slice(0, end) : text;
}

/** A file, or a line in its place that says why it is not there. */
async function fileMessages(parts: MessageParts, file: OutFile, unasked: boolean): Promise<readonly Message[]> {
  if (unasked) return [textMessage("📎 1 attachment")];
  if (file.kind === "document") return [textMessage(`📎 ${file.name} (documents cannot be sent here)`)];
  const { publicUrl } = parts;
  if (publicUrl === undefined) return [textMessage(`📎 ${file.name} (not sent: MSGL_PUBLIC_URL is not set)`)];
  const facts = await statPath(file.path);
  if (facts?.kind !== "file") return [textMessage(`📎 ${file.name} (the file no longer exists)`)];
  const limit = file.kind === "image" ? IMAGE_BYTES : MEDIA_BYTES;
  if (facts.size > limit) return [textMessage(`📎 ${file.name} (larger than ${limit >> 20} MB)`)];
  const addressOf = async (what: { readonly path: string; readonly name: string; readonly mime: string }) =>
    publicUrl + (await parts.served.share(what));
  if (file.kind === "image") {
    const url = await addressOf(file);
    return [{ type: "image", originalContentUrl: url, previewImageUrl: url }];
  }
  if (file.kind === "video") {
    const preview = await addressOf({ path: PREVIEW, name: "preview.png", mime: "image/png" });
    return [{ type: "video", originalContentUrl: await addressOf(file), previewImageUrl: preview }];
  }
  const duration = await soundLength(file.path, facts.size);
  if (duration === undefined) return [textMessage(`📎 ${file.name} (its length cannot be read)`)];
  return [{ type: "audio", originalContentUrl: await addressOf(file), duration }];
}
