import type { Binding } from "../model/state.js";
import {
  allFolded,
  aspectFolded,
  beside,
  codeCopied,
  copied,
  folded,
  forked,
  paged,
  readAgain,
  retried,
  taken,
  todoFolded,
  undoAsked,
} from "./actions.js";
import { beginSearch, clearSearch, nextHit } from "./search.js";

type Row = Omit<Binding, "context">;

const ITEM: readonly Row[] = [
  { id: "chat.open", keys: ["enter"], label: "unfold", act: folded },
  { id: "chat.fold", keys: [" ", "space"], label: "fold or unfold", hint: "Space fold", act: folded },
  { id: "chat.fold.all", keys: ["e"], label: "fold or unfold all", act: (state) => allFolded(state) },
  {
    id: "chat.thinking",
    keys: ["t"],
    label: "thinking",
    act: aspectFolded("thinking", ({ kind }) => kind === "thinking", "This item has no thinking"),
  },
  {
    id: "chat.diff",
    keys: ["d"],
    label: "difference",
    act: aspectFolded(
      "diff",
      (item) => item.kind === "tool" && item.result?.diff !== undefined,
      "This item has no diff",
    ),
  },
  {
    id: "chat.output",
    keys: ["o"],
    label: "full output",
    hint: "o output",
    act: aspectFolded("output", ({ kind }) => kind === "tool", "This item has no output"),
  },
  { id: "chat.pager", keys: ["O"], label: "open in the pager", act: paged },
  { id: "chat.undo", keys: ["u"], label: "undo to here", hint: "u undo", act: undoAsked },
  { id: "chat.fork", keys: ["F"], label: "fork from here", act: forked },
  { id: "chat.retry", keys: ["R"], label: "retry the last exchange", act: retried },
  { id: "chat.take", keys: ["s"], label: "copy the message to the composer", act: taken },
  { id: "chat.copy", keys: ["y"], label: "copy the item", hint: "y copy", act: copied },
  { id: "chat.copy.code", keys: ["Y"], label: "copy its code", act: codeCopied },
  { id: "chat.refresh", keys: ["r"], label: "refresh", act: readAgain },
  { id: "chat.search", keys: ["/"], label: "search", hint: "/ search", act: beginSearch },
  {
    id: "chat.search.next",
    keys: ["n"],
    label: "next match",
    when: ({ chat }) => chat.search !== undefined,
    act: nextHit(-1),
  },
  {
    id: "chat.search.prev",
    keys: ["N"],
    label: "previous match",
    when: ({ chat }) => chat.search !== undefined,
    act: nextHit(1),
  },
  {
    id: "chat.search.clear",
    keys: ["escape"],
    label: "clear the search",
    when: ({ chat }) => chat.search !== undefined,
    act: clearSearch,
  },
];

/** Keys of the conversation (workspace part, 3.2), and those that mean it from everywhere. */
export const CHAT_KEYS: readonly Binding[] = [
  ...ITEM.map((row): Binding => ({ ...row, context: "chat" })),
  { id: "todo", context: "everywhere", keys: ["alt+t"], label: "fold the list of steps", act: todoFolded },
  { id: "session.back", context: "everywhere", keys: ["alt+left"], label: "previous session shown", act: beside(-1) },
  { id: "session.forward", context: "everywhere", keys: ["alt+right"], label: "next session shown", act: beside(1) },
];
