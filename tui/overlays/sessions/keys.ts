import type { Binding, State } from "../../model/state.js";
import { editKeys } from "../edit-keys.js";
import {
  archive,
  deleting,
  editLine,
  entered,
  escaped,
  exporting,
  fork,
  goTo,
  inSessions,
  listed,
  mark,
  markAll,
  markNone,
  pin,
  rename,
  showing,
  toggle,
} from "./update.js";

const PAGE = 10;

/** Nothing is typed: letters are keys. */
const reading = ({ overlay }: State): boolean =>
  overlay?.kind === "sessions" && !overlay.typing && overlay.asking === undefined;
/** A list is seen, whether its filter is typed or not. */
const listing = ({ overlay }: State): boolean => overlay?.kind === "sessions" && overlay.asking === undefined;

const moved = (to: (at: number, last: number) => number) =>
  inSessions((state, overlay) => goTo(state, overlay, to(overlay.at, listed(overlay).length - 1)));

type Row = Pick<Binding, "id" | "keys" | "label" | "act">;

const LETTERS: readonly Row[] = [
  {
    id: "new",
    keys: ["n"],
    label: "new session",
    act: (state) => [{ ...state, overlay: undefined }, [{ do: "open", session: undefined }]],
  },
  { id: "rename", keys: ["r"], label: "rename", act: rename },
  { id: "fork", keys: ["f"], label: "fork", act: fork },
  { id: "archive", keys: ["a"], label: "archive or restore", act: archive },
  { id: "delete", keys: ["x"], label: "delete", act: deleting },
  { id: "export", keys: ["e"], label: "export to a file", act: exporting },
  { id: "pin", keys: ["p"], label: "pin or unpin", act: pin },
  { id: "mark", keys: ["space"], label: "mark for a bulk action", act: mark },
  { id: "markAll", keys: ["*"], label: "mark all shown", act: markAll },
  { id: "markNone", keys: ["-"], label: "mark none", act: markNone },
  { id: "dirs", keys: ["d"], label: "this directory or all", act: toggle("all") },
  { id: "archived", keys: ["A"], label: "show archived", act: toggle("archived") },
  {
    id: "search",
    keys: ["/"],
    label: "search",
    act: inSessions((state, overlay) => showing(state, { ...overlay, typing: true })),
  },
  { id: "upLetter", keys: ["k"], label: "up", act: moved((at) => at - 1) },
  { id: "downLetter", keys: ["j"], label: "down", act: moved((at) => at + 1) },
  { id: "firstLetter", keys: ["g"], label: "first", act: moved(() => 0) },
  { id: "lastLetter", keys: ["G"], label: "last", act: moved((_at, last) => last) },
];

const MOVES: readonly Row[] = [
  { id: "up", keys: ["up", "shift+tab"], label: "up", act: moved((at) => at - 1) },
  { id: "down", keys: ["down", "tab"], label: "down", act: moved((at) => at + 1) },
  { id: "pageUp", keys: ["pageup"], label: "page up", act: moved((at) => at - PAGE) },
  { id: "pageDown", keys: ["pagedown"], label: "page down", act: moved((at) => at + PAGE) },
];

const ENDS: readonly Row[] = [
  { id: "first", keys: ["home"], label: "first", act: moved(() => 0) },
  { id: "last", keys: ["end"], label: "last", act: moved((_at, last) => last) },
];

const rows = (given: readonly Row[], when: (state: State) => boolean): readonly Binding[] =>
  given.map((row) => ({ ...row, id: `sessions.${row.id}`, context: "sessions", when }));

export const SESSIONS_KEYS: readonly Binding[] = [
  ...rows(LETTERS, reading),
  ...rows(MOVES, listing),
  ...rows(ENDS, reading),
  {
    id: "sessions.open",
    context: "sessions",
    keys: ["enter"],
    label: "open; search the contents; confirm",
    hint: "Enter open",
    act: entered,
  },
  { id: "sessions.back", context: "sessions", keys: ["escape"], label: "back, close", hint: "Esc back", act: escaped },
  {
    id: "sessions.close",
    context: "sessions",
    keys: ["ctrl+o"],
    label: "close",
    act: (state) => [{ ...state, overlay: undefined }, []],
  },
  ...editKeys("sessions", editLine),
];
