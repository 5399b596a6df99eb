import type { RowOf } from "../draw/canvas.js";
import { GLYPH, spinner } from "../draw/glyphs.js";
import { grow, OPENING, type Outline } from "../draw/markdown.js";
import { banded } from "../draw/marks.js";
import { onBand, THEME } from "../draw/theme.js";
import { type Entry, entryOf, type Part } from "../draw/viewport.js";
import type { Colours } from "../grammar/code.js";
import type { State } from "../model/state.js";
import { waits } from "../questions/waiting.js";
import { blockEntry } from "./blocks.js";
import { endingRows } from "./ends.js";
import { itemRows, liveThinkingRows, userPartRows } from "./look/item.js";
import { type Aspect, type Look, plain } from "./look/look.js";
import { todoRows } from "./look/todo.js";
import { groupRow, onlyLooked } from "./look/tool.js";
import type { ChatItem, ChatState, ToolItem } from "./state.js";

/** What stands above an item: nothing, a blank row, or who speaks. */
type Lead = "none" | "gap" | "you" | "background" | "agent";

/** The entries of the chat pane, in order: items, groups of them, the list of steps, and what grows at this moment. */
export function chatEntries(state: State): readonly Entry[] {
  const { chat } = state;
  const fixed = fixedEntries(state);
  const moving = fixed.running.length === 0 ? fixed.entries : withRunning(fixed, state);
  const live = liveEntries(state, fixed.speaks);
  return live.length === 0 && chat.newer === "no" ? moving : [...moving, ...live];
}

/** Where a question about an item is answered: the keys of the pane mean the item of an entry. */
export const GROUP = "g:";

interface Fixed {
  readonly entries: readonly Entry[];
  /** Places of what changes with time. */
  readonly running: readonly (readonly [at: number, item: ChatItem, lead: Lead])[];
  /** The agent has spoken since the last message of the user. */
  readonly speaks: boolean;
}

interface From {
  readonly items: ChatState["items"];
  readonly folds: ChatState["folds"];
  readonly whole: ChatState["whole"];
  readonly todo: ChatState["todo"];
  readonly todoOpen: boolean;
  readonly display: State["display"];
  readonly colours: Colours;
}

let last: { readonly from: From; readonly fixed: Fixed } | undefined;

/** Made again only when something of what they are made of is another object. */
function fixedEntries(state: State): Fixed {
  const { items, folds, whole, todo, todoOpen } = state.chat;
  const from: From = { items, folds, whole, todo, todoOpen, display: state.display, colours: state.colours };
  if (last !== undefined && same(last.from, from)) return last.fixed;
  last = { from, fixed: makeFixed(state) };
  return last.fixed;
}

const same = (a: From, b: From): boolean =>
  a.items === b.items &&
  a.folds === b.folds &&
  a.whole === b.whole &&
  a.todo === b.todo &&
  a.todoOpen === b.todoOpen &&
  a.display === b.display &&
  a.colours === b.colours;

function makeFixed(state: State): Fixed {
  const { chat } = state;
  const entries: Entry[] = [];
  const running: [number, ChatItem, Lead][] = [];
  let speaks = false;
  const top: State = { ...state, display: { ...state.display, compact: true } }; // no blank row stands above everything
  const steps = todoPlace(chat);
  for (let at = 0; at < chat.items.length; ) {
    const item = chat.items[at];
    if (item === undefined) break;
    const group = groupAt(chat.items, at);
    const lead = leadOf(item, speaks, state.display.compact);
    const look = entries.length === 0 ? top : state;
    speaks = item.kind === "user" || item.kind === "command" ? false : speaks || item.kind !== "notice";
    if (hidden(item, state) || repeats(item, chat.items[at - 1], state)) at += 1;
    else if (group.length > 1) {
      entries.push(groupEntry(group, look, lead));
      if (isOpen(chat, `${GROUP}${group[0]?.key ?? ""}`, "group") === true)
        for (const one of group) entries.push(cached(one, state, "none"));
      at += group.length;
    } else {
      if (isRunning(item)) running.push([entries.length, item, lead]);
      entries.push(cached(item, look, lead));
      at += 1;
    }
    if (at === steps + 1 && chat.todo.length > 0) entries.push(todoEntry(chat));
  }
  return { entries, running, speaks };
}

const isRunning = (item: ChatItem): boolean =>
  (item.kind === "tool" && item.state === "running") || (item.kind === "child" && item.status === "running");

function hidden(item: ChatItem, { display, chat }: State): boolean {
  if (item.kind === "thinking") return !display.showReasoning || display.details.thinking === "hidden";
  if (item.kind === "tool")
    return display.details.tools === "hidden" && item.state !== "running" && chat.folds[`${item.key} output`] !== true;
  return item.kind === "child" && display.details.children === "hidden";
}

/** A call of the same tool as the one before, where only what is new is shown. */
const repeats = (item: ChatItem, before: ChatItem | undefined, { display, chat }: State): boolean =>
  display.toolProgress === "new" &&
  item.kind === "tool" &&
  item.state === "ok" &&
  before?.kind === "tool" &&
  before.name === item.name &&
  chat.folds[`${item.key} output`] !== true;

/** The list of steps stands under the last message of the user. */
const todoPlace = ({ items }: ChatState): number => items.findLastIndex((item) => item.kind === "user");

function leadOf(item: ChatItem, speaks: boolean, compact: boolean): Lead {
  if (item.kind === "user") return item.news === true ? "background" : "you";
  if (item.kind === "command") return compact ? "none" : "gap";
  if (item.kind === "notice") return item.rule === undefined || compact ? "none" : "gap";
  if (!speaks) return "agent";
  return item.kind === "answer" && !compact ? "gap" : "none";
}

/** Finished calls next to each other that only looked. */
function groupAt(items: readonly ChatItem[], from: number): readonly ToolItem[] {
  const group: ToolItem[] = [];
  for (let at = from; at < items.length; at++) {
    const item = items[at];
    if (item?.kind !== "tool" || !onlyLooked(item)) break;
    group.push(item);
  }
  return group;
}

export const isOpen = ({ folds }: ChatState, key: string, aspect: Aspect): boolean | undefined =>
  folds[`${key} ${aspect}`];

function lookAt(state: State, item: { readonly key: string; readonly callId?: string }): Look {
  const { chat, display, now } = state;
  return {
    display,
    open: (aspect) => isOpen(chat, item.key, aspect),
    whole: chat.whole[item.key],
    bands: true,
    waits: (call) => waits(state, call),
    spin: spinner(state),
    now,
    output: chat.output[item.callId ?? ""] ?? [],
  };
}

const leads = (lead: Lead, compact: boolean, speaker = "you"): readonly RowOf[] => {
  const gap: readonly RowOf[] = compact || lead === "none" ? [] : [[]];
  if (lead === "you") return [...gap, ...banded([[[THEME.user, speaker]]])];
  if (lead === "background") return [...gap, ...banded([[[THEME.dim, "background"]]])];
  return lead === "agent" ? [...gap, [[THEME.agent, "agent"]]] : gap;
};

const made = new WeakMap<
  ChatItem,
  { readonly sign: string; readonly display: unknown; readonly colours: Colours; readonly entry: Entry }
>();
const ASPECTS: readonly Aspect[] = ["text", "thinking", "diff", "output", "inner"];

/** The entry of an item; the same one as long as it is looked at in the same way. */
function cached(item: ChatItem, state: State, lead: Lead): Entry {
  const { chat, display, colours } = state;
  const sign = `${lead} ${ASPECTS.map((aspect) => isOpen(chat, item.key, aspect) ?? "").join()} ${chat.whole[item.key]?.length ?? ""}`;
  const known = made.get(item);
  if (known?.sign === sign && known.display === display && known.colours === colours) return known.entry;
  const entry = itemEntry(item, state, lead);
  made.set(item, { sign, display, colours, entry });
  return entry;
}

function itemEntry(item: ChatItem, state: State, lead: Lead): Entry {
  const { compact } = state.display;
  if (item.kind === "answer") return answerEntry(item, leads(lead, compact, state.chat.speaker), state);
  const look = lookAt(state, item);
  const head =
    item.kind === "user" && state.display.timestamps && item.at !== undefined
      ? timed(leads(lead, compact, state.chat.speaker), item.at)
      : leads(lead, compact, state.chat.speaker);
  if (item.kind === "user" && look.open("text") === true) return userEntry(item, head);
  return entryOf(item.key, (width) => [
    ...head,
    ...itemRows(item, look, width),
    ...endingRows(item.ending, state.display, width),
  ]);
}

const PART_LINES = 200;

/** A message that is unfolded, in parts: of a long one only what is seen is laid out. */
function userEntry({ key, text }: Extract<ChatItem, { kind: "user" }>, head: readonly RowOf[]): Entry {
  const lines = text.split("\n");
  const parts = Array.from({ length: Math.ceil(lines.length / PART_LINES) }, (_, at): Part => {
    const own = lines.slice(at * PART_LINES, (at + 1) * PART_LINES);
    return { rows: (width) => userPartRows(own, width) };
  });
  const all: readonly Part[] = [{ rows: () => head }, ...parts];
  return { key, size: all.length, part: (at) => all[at] ?? { rows: () => [] } };
}

const timed = (rows: readonly RowOf[], at: number): readonly RowOf[] =>
  rows.map(
    (row): RowOf =>
      row.length === 0 ? row : [...row, [onBand(THEME.dim), ` ${new Date(at).toTimeString().slice(0, 5)}`]],
  );

const outlines = new WeakMap<ChatItem, Outline>();

/** Blocks of an answer: those that were made while it streamed, or made when it is first looked at. */
function outlineOf(item: Extract<ChatItem, { kind: "answer" }>): Outline {
  const known = item.outline ?? outlines.get(item);
  if (known !== undefined) return known;
  const outline = grow(OPENING, item.text);
  outlines.set(item, outline);
  return outline;
}

/** An answer, part by part: who speaks, its blocks, whether it was interrupted, and how its turn ended. */
function answerEntry(
  item: Extract<ChatItem, { kind: "answer" }>,
  head: readonly RowOf[],
  { display, colours }: State,
): Entry {
  const said: readonly RowOf[] = item.interrupted ? [[[THEME.warn, "(interrupted)"]]] : [];
  const tail = (width: number) => [...said, ...endingRows(item.ending, display, width)];
  return blockEntry(item.key, () => outlineOf(item), { head, tail, colours, grows: false });
}

function groupEntry(group: readonly ToolItem[], state: State, lead: Lead): Entry {
  const key = `${GROUP}${group[0]?.key ?? ""}`;
  const unfolded = isOpen(state.chat, key, "group") === true;
  const ending = unfolded ? undefined : group.at(-1)?.ending; // unfolded it stands below the last of them
  const { display } = state;
  return entryOf(key, (width) => [
    ...leads(lead, display.compact),
    groupRow(group, unfolded, width),
    ...endingRows(ending, display, width),
  ]);
}

const todoEntry = ({ todo, todoOpen }: ChatState): Entry => entryOf("todo", (width) => todoRows(todo, todoOpen, width));

function withRunning({ entries, running }: Fixed, state: State): readonly Entry[] {
  const now = [...entries];
  for (const [at, item, lead] of running) now[at] = itemEntry(item, state, lead);
  return now;
}

/** What grows at this moment, below everything else. */
function liveEntries(state: State, speaks: boolean): readonly Entry[] {
  const { chat, display, now } = state;
  const entries: Entry[] = [];
  const lead = (): Lead => (speaks || entries.length > 0 ? "none" : "agent");
  const { thinking, live } = chat;
  if (thinking !== undefined && display.showReasoning && display.details.thinking !== "hidden") {
    const look = lookAt(state, thinking);
    const head = leads(lead(), display.compact);
    entries.push(
      entryOf(thinking.key, (width) => [
        ...head,
        ...liveThinkingRows(thinking.source, now - thinking.since, look, width),
      ]),
    );
  }
  if (live !== undefined && display.streaming) {
    const head = leads(lead() === "agent" ? "agent" : "gap", display.compact);
    entries.push(
      blockEntry(live.key, () => live.outline, { head, tail: () => [], colours: state.colours, grows: true }),
    );
  }
  if (chat.writing !== undefined) {
    const head = leads(lead(), display.compact);
    entries.push(entryOf("writing", () => [...head, [[THEME.dim, `${GLYPH.pending} ${chat.writing}`]]]));
  }
  if (chat.cutOff) entries.push(entryOf("cut", (width) => [[], ...plain(CUT_OFF, THEME.warn, width)]));
  return entries;
}

const CUT_OFF =
  "The last turn was cut off; calls which were running may or may not have taken effect. Enter continues, or type something else.";
