/** What a key does on the board, when no field and no dialog has it. */
export type Shortcut =
  | { readonly does: "step"; readonly step: "up" | "down" | "left" | "right" | "first" | "last" }
  | { readonly does: "open" | "create" | "search" | "help" | "leave" | "select" | "menu" | "refresh" | "all" };

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const STEPS: Readonly<Record<string, Extract<Shortcut, { does: "step" }>["step"]>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  k: "up",
  j: "down",
  h: "left",
  l: "right",
  Home: "first",
  End: "last",
};

const PLAIN: Readonly<Record<string, Exclude<Shortcut["does"], "step">>> = {
  Enter: "open",
  c: "create",
  "/": "search",
  "?": "help",
  Escape: "leave",
  x: "select",
  m: "menu",
  r: "refresh",
};

/** What a key means; undefined leaves it to the browser. */
export function shortcutOf({ key, ctrlKey, metaKey, altKey }: Key): Shortcut | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) return key === "a" ? { does: "all" } : undefined;
  const step = STEPS[key];
  if (step !== undefined) return { does: "step", step };
  const does = PLAIN[key];
  return does === undefined ? undefined : { does };
}

/** The keys, for the help. */
export const SHORTCUTS: readonly { readonly keys: readonly string[]; readonly text: string }[] = [
  { keys: ["←", "→", "↑", "↓"], text: "Go from card to card" },
  { keys: ["Home", "End"], text: "First and last card of a column" },
  { keys: ["Enter"], text: "Open the card" },
  { keys: ["m"], text: "Move the card, or other actions" },
  { keys: ["x"], text: "Select the card" },
  { keys: ["Ctrl", "a"], text: "Select the whole column" },
  { keys: ["c"], text: "Create a task" },
  { keys: ["/"], text: "Search" },
  { keys: ["r"], text: "Reload the board" },
  { keys: ["?"], text: "Show these keys" },
  { keys: ["Esc"], text: "Close, cancel, or clear the selection" },
];
