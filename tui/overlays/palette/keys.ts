import type { Binding } from "../../model/state.js";
import { editKeys } from "../edit-keys.js";
import { back, editInput, enter, moved, showActions } from "./update.js";

const PAGE = 12;

export const PALETTE_KEYS: readonly Binding[] = [
  { id: "palette.enter", context: "palette", keys: ["enter"], label: "run it", hint: "Enter run", act: enter(false) },
  { id: "palette.enterZoomed", context: "palette", keys: ["alt+enter"], label: "run it, zoomed", act: enter(true) },
  {
    id: "palette.actions",
    context: "palette",
    keys: ["tab"],
    label: "more actions",
    hint: "Tab more",
    act: showActions,
  },
  { id: "palette.up", context: "palette", keys: ["up", "ctrl+p", "shift+tab"], label: "up", act: moved(-1) },
  { id: "palette.down", context: "palette", keys: ["down", "ctrl+n"], label: "down", act: moved(1) },
  { id: "palette.first", context: "palette", keys: ["pageup"], label: "first", act: moved(-PAGE) },
  { id: "palette.last", context: "palette", keys: ["pagedown"], label: "last", act: moved(PAGE) },
  { id: "palette.back", context: "palette", keys: ["escape"], label: "back, close", hint: "Esc back", act: back },
  ...editKeys("palette", editInput),
];
