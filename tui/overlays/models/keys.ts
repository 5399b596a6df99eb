import type { Binding } from "../../model/state.js";
import { editKeys } from "../edit-keys.js";
import { askKey, editLine, entered, escaped, moved, refresh, test } from "./update.js";

const PAGE = 10;

export const MODELS_KEYS: readonly Binding[] = [
  { id: "models.use", context: "models", keys: ["enter"], label: "use it in this conversation", act: entered(false) },
  {
    id: "models.default",
    context: "models",
    keys: ["alt+g"],
    label: "also use it for new conversations",
    act: entered(true),
  },
  { id: "models.key", context: "models", keys: ["alt+k"], label: "enter a key for its provider", act: askKey },
  { id: "models.test", context: "models", keys: ["alt+t"], label: "test the connection", act: test },
  { id: "models.refresh", context: "models", keys: ["alt+r"], label: "refresh the list", act: refresh },
  { id: "models.up", context: "models", keys: ["up", "shift+tab"], label: "up", act: moved(-1) },
  { id: "models.down", context: "models", keys: ["down", "tab"], label: "down", act: moved(1) },
  { id: "models.pageUp", context: "models", keys: ["pageup"], label: "page up", act: moved(-PAGE) },
  { id: "models.pageDown", context: "models", keys: ["pagedown"], label: "page down", act: moved(PAGE) },
  { id: "models.back", context: "models", keys: ["escape"], label: "back, close", act: escaped },
  ...editKeys("models", editLine),
];
