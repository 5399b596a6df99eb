import type { Replay, ReplayItem } from "../../contracts/models/model.js";

type Redact = (text: string) => string;

/**
 * What a provider wants back, as it is stored beside a message. Texts of the answer are stored as redacted as the message itself. Thinking is
 * signed, so that it can be kept only whole: when it holds a secret nothing is kept, and the provider goes without.
 */
export function storedReplay(replay: Replay | undefined, redact: Redact): { replay?: Replay } {
  if (replay === undefined) return {};
  const { anthropic_content_blocks: blocks, responses_message_items: said, ...signed } = replay;
  const thoughts = JSON.stringify([signed, (blocks ?? []).filter((block) => block["type"] !== "text")], readable);
  if (thoughts !== redact(thoughts)) return {};
  return {
    replay: {
      ...signed,
      ...(blocks === undefined ? {} : { anthropic_content_blocks: blocks.map((block) => withText(block, redact)) }),
      ...(said === undefined ? {} : { responses_message_items: said.map((item) => withParts(item, redact)) }),
    },
  };
}

function withText(block: ReplayItem, redact: Redact): ReplayItem {
  return block["type"] === "text" && typeof block["text"] === "string"
    ? { ...block, text: redact(block["text"]) }
    : block;
}

function withParts(item: ReplayItem, redact: Redact): ReplayItem {
  const parts: readonly unknown[] = Array.isArray(item["content"]) ? item["content"] : [];
  return {
    ...item,
    content: parts.map((part) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? { ...part, text: redact(part.text) }
        : part,
    ),
  };
}

/** Encrypted data and signatures do not help a reader, and may look like any secret. */
const OPAQUE: ReadonlySet<string> = new Set(["signature", "data", "encrypted_content", "id", "from"]);
const readable = (name: string, value: unknown): unknown => (OPAQUE.has(name) ? undefined : value);
