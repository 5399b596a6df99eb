import { itemRows } from "../chat/look/item.js";
import { type Look, plain } from "../chat/look/look.js";
import { groupRow, onlyLooked } from "../chat/look/tool.js";
import type { ChatItem, ToolItem } from "../chat/state.js";
import type { RowOf } from "../draw/canvas.js";
import { spinner } from "../draw/glyphs.js";
import { type Block, blockAt, blockRows, blocksOf, grow, OPENING, type Outline } from "../draw/markdown.js";
import { THEME } from "../draw/theme.js";
import { sealedCount } from "../markdown/block.js";
import type { State } from "../model/state.js";
import { waits } from "../questions/waiting.js";

type Speaker = "you" | "background" | "agent";

/** What was written for good so far. */
export interface Written {
  /** Items that are written whole. */
  readonly keys: ReadonlySet<string>;
  /** Blocks of the answer that is under way, as their texts: when it is stored it may have another name. */
  readonly blocks: readonly string[];
  /** Who spoke last: the next line of the same speaker has no head. */
  readonly speaker: Speaker | undefined;
}

export const NOTHING: Written = { keys: new Set(), blocks: [], speaker: undefined };

/** What is finished and not written yet, in order; everything behind the first unfinished item waits for it. */
export function finished(
  state: State,
  written: Written,
  width: number,
): { readonly rows: readonly RowOf[]; readonly written: Written } {
  const pen = new Pen(state, written, width);
  const { items, live } = state.chat;
  let at = 0;
  for (let item = items[at]; item !== undefined; item = items[at]) {
    if (pen.knows(item)) at += 1;
    else {
      const group = groupAt(items, at);
      if (!(group.length > 0 ? isClosed(state, at + group.length) : isFinished(state, item, at)))
        return aside(state, at, pen).result();
      if (group.length > 0) pen.group(group);
      else pen.item(item);
      at += Math.max(1, group.length);
    }
  }
  if (live !== undefined && state.display.streaming) pen.answer(live.outline);
  return pen.result();
}

/** Where nothing is drawn again, answers of commands and notices do not wait for what runs before them. */
function aside(state: State, from: number, pen: Pen): Pen {
  if (state.inline?.aloud !== true) return pen;
  for (const [at, item] of state.chat.items.entries())
    if (
      at > from &&
      !pen.knows(item) &&
      (item.kind === "command" || item.kind === "notice") &&
      isFinished(state, item, at)
    )
      pen.item(item);
  return pen;
}

/** Items that are not written yet: the live area shows them. */
export const unfinished = (state: State, { keys }: Written): readonly ChatItem[] =>
  state.chat.items.filter(({ key }) => !keys.has(key));

/** Finished calls next to each other that only looked. */
function groupAt(items: readonly ChatItem[], from: number): readonly ToolItem[] {
  const group: ToolItem[] = [];
  for (const item of items.slice(from)) {
    if (item.kind !== "tool" || !onlyLooked(item)) break;
    group.push(item);
  }
  return group;
}

/** Nothing can join what ends there any more. */
const isClosed = ({ chat, session }: State, end: number): boolean =>
  end < chat.items.length || chat.live !== undefined || session.turnSince === undefined;

function isFinished(state: State, item: ChatItem, at: number): boolean {
  switch (item.kind) {
    case "tool":
      return item.state !== "running" && (item.result !== undefined || isClosed(state, at + 1));
    case "child":
      return item.status !== "running";
    case "command":
      return item.answer !== undefined && state.chat.following !== item.id;
    case "notice":
      return !item.key.startsWith("retry") || isClosed(state, at + 1); // the row of a retry changes in place
    default:
      return true;
  }
}

const STYLES = { you: THEME.user, background: THEME.dim, agent: THEME.agent } as const;

function speakerOf(item: ChatItem): Speaker {
  if (item.kind === "user") return item.news === true ? "background" : "you";
  return item.kind === "command" ? "you" : "agent";
}

/** How an item looks without folding. */
export const lookIn = (state: State, item: ChatItem): Look => ({
  display: state.display,
  open: () => undefined,
  whole: state.chat.whole[item.key],
  waits: (call) => waits(state, call),
  spin: spinner(state),
  now: state.now,
  output: item.kind === "tool" ? (state.chat.output[item.callId] ?? []) : [],
});

/** A block of an answer as `display.final_response_markdown` wants it. */
function answerRows(block: Block, { answerMarkdown }: State["display"], width: number): readonly RowOf[] {
  if (answerMarkdown === "render") return blockRows(block, width);
  if (answerMarkdown === "raw") return [...(block.gap ? [[]] : []), ...plain(block.text, THEME.text, width)];
  return blockRows(block, width).map((row): RowOf => [[THEME.text, row.map(([, text]) => text).join("")]]);
}

/** The number that `/show` takes. */
function numbered({ display, chat }: State, item: ChatItem, rows: readonly RowOf[]): readonly RowOf[] {
  const [first, ...more] = rows;
  if (!display.numbers || item.kind !== "tool" || first === undefined) return rows;
  const number = chat.items.filter((one) => one.kind === "tool").indexOf(item) + 1;
  return [[[THEME.dim, `${number} `], ...first], ...more];
}

class Pen {
  readonly #state: State;
  readonly #width: number;
  readonly #rows: RowOf[] = [];
  readonly #keys: Set<string>;
  #blocks: readonly string[];
  #speaker: Written["speaker"];

  constructor(state: State, { keys, blocks, speaker }: Written, width: number) {
    this.#state = state;
    this.#width = width;
    this.#keys = new Set(keys);
    this.#blocks = blocks;
    this.#speaker = speaker;
  }

  knows = ({ key }: ChatItem): boolean => this.#keys.has(key);

  group(group: readonly ToolItem[]): void {
    this.#speaks("agent");
    if (this.#state.display.toolProgress !== "off") this.#rows.push(groupRow(group, false, this.#width));
    for (const { key } of group) this.#keys.add(key);
  }

  item(item: ChatItem): void {
    this.#keys.add(item.key);
    if (item.kind === "answer") this.#answered(item);
    else if (!this.#isHidden(item)) this.#other(item);
  }

  #other(item: ChatItem): void {
    if (item.kind !== "notice") this.#speaks(speakerOf(item));
    const rows = numbered(this.#state, item, itemRows(item, lookIn(this.#state, item), this.#width));
    this.#rows.push(...(item.kind === "command" ? rows.filter((row, at) => at > 0 || row.length > 0) : rows));
  }

  /** Blocks that are sealed while the answer goes on. */
  answer(outline: Outline): void {
    const count = sealedCount(outline);
    if (count <= this.#blocks.length) return;
    this.#speaks("agent");
    const fresh = Array.from({ length: count - this.#blocks.length }, (_, at) =>
      blockAt(outline, this.#blocks.length + at),
    );
    const blocks = fresh.filter((block) => block !== undefined);
    for (const block of blocks) this.#rows.push(...answerRows(block, this.#state.display, this.#width));
    this.#blocks = [...this.#blocks, ...blocks.map(({ text }) => text)];
  }

  result(): { readonly rows: readonly RowOf[]; readonly written: Written } {
    return { rows: this.#rows, written: { keys: this.#keys, blocks: this.#blocks, speaker: this.#speaker } };
  }

  /** The rest of an answer whose beginning is written already. */
  #answered(item: Extract<ChatItem, { kind: "answer" }>): void {
    const blocks = blocksOf(item.outline ?? grow(OPENING, item.text));
    const same = this.#blocks.findIndex((text, at) => blocks[at]?.text !== text);
    const known = same < 0 ? this.#blocks.length : same;
    this.#speaks("agent");
    for (const block of blocks.slice(known)) this.#rows.push(...answerRows(block, this.#state.display, this.#width));
    if (item.interrupted) this.#rows.push([[THEME.warn, "(interrupted)"]]);
    this.#blocks = [];
  }

  #isHidden(item: ChatItem): boolean {
    const { display } = this.#state;
    if (item.kind === "thinking") return !display.showReasoning || display.details.thinking === "hidden";
    if (item.kind === "tool") return display.toolProgress === "off" || display.details.tools === "hidden";
    return item.kind === "child" && display.details.children === "hidden";
  }

  #speaks(who: Speaker): void {
    if (this.#speaker === who && who === "agent") return;
    if (!this.#state.display.compact) this.#rows.push([]);
    this.#rows.push([[STYLES[who], who]]);
    this.#speaker = who;
  }
}
