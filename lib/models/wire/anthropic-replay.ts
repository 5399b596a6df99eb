import type { Replay, ReplayItem, ToolCall } from "../../contracts/models/model.js";

/** A block of an answer while it comes in. */
export interface BlockText {
  readonly type: string;
  readonly id: string;
  text: string;
  signature: string;
}

interface Given {
  readonly type?: string | null | undefined;
  readonly id?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly thinking?: string | null | undefined;
  readonly signature?: string | null | undefined;
  readonly data?: string | null | undefined;
}

/** The block with which it begins. */
export const newBlock = (block: Given): BlockText => ({
  type: block.type ?? "",
  id: block.id ?? "",
  text: block.thinking ?? block.data ?? block.text ?? "",
  signature: block.signature ?? "",
});

/** More of it. */
export function addTo(block: BlockText, delta: Given): void {
  block.text += delta.thinking ?? delta.text ?? "";
  block.signature += delta.signature ?? "";
}

/** The blocks in their order, when thinking among them is signed: then the provider wants them back as they were. */
export function signedBlocks(blocks: ReadonlyMap<number, BlockText>): Omit<Replay, "from"> | undefined {
  const ordered = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block);
  const items = ordered.flatMap(toItem);
  const signed = items.some((item) => item["type"] === "thinking" || item["type"] === "redacted_thinking");
  return signed ? { anthropic_content_blocks: items } : undefined;
}

function toItem({ type, id, text, signature }: BlockText): ReplayItem[] {
  if (type === "thinking") return signature === "" ? [] : [{ type, thinking: text, signature }];
  if (type === "redacted_thinking") return [{ type, data: text }];
  if (type === "text") return text.trim() === "" ? [] : [{ type, text }];
  return type === "tool_use" ? [{ type, id }] : [];
}

/** The stored blocks with the calls as they are stored in their places; calls without a place come last. */
export function replayedBlocks(
  stored: readonly ReplayItem[],
  calls: readonly ToolCall[],
  toBlock: (call: ToolCall) => ReplayItem,
): readonly ReplayItem[] {
  const placed = new Set<ToolCall>();
  const blocks = stored.flatMap((item) => {
    if (item["type"] !== "tool_use") return [item];
    const call = calls.find((one) => one.id === item["id"] && !placed.has(one));
    if (!call) return [];
    placed.add(call);
    return [toBlock(call)];
  });
  return [...blocks, ...calls.filter((call) => !placed.has(call)).map(toBlock)];
}
