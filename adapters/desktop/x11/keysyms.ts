/** Names of keys as models write them, and the names that X11 has for them. */
const NAMED: Readonly<Record<string, string>> = {
  cmd: "super",
  option: "alt",
  ctrl: "ctrl",
  shift: "shift",
  enter: "Return",
  return: "Return",
  esc: "Escape",
  escape: "Escape",
  tab: "Tab",
  space: "space",
  backspace: "BackSpace",
  delete: "Delete",
  insert: "Insert",
  ins: "Insert",
  up: "Up",
  down: "Down",
  left: "Left",
  right: "Right",
  home: "Home",
  end: "End",
  pageup: "Prior",
  pgup: "Prior",
  pagedown: "Next",
  pgdn: "Next",
  capslock: "Caps_Lock",
  numlock: "Num_Lock",
  scrolllock: "Scroll_Lock",
  printscreen: "Print",
  print: "Print",
  menu: "Menu",
  pause: "Pause",
  "+": "plus",
  "-": "minus",
  _: "underscore",
  "=": "equal",
  ".": "period",
  ",": "comma",
  "/": "slash",
  "\\": "backslash",
  ";": "semicolon",
  ":": "colon",
  "'": "apostrophe",
  '"': "quotedbl",
  "`": "grave",
  "[": "bracketleft",
  "]": "bracketright",
  "(": "parenleft",
  ")": "parenright",
  "{": "braceleft",
  "}": "braceright",
  "<": "less",
  ">": "greater",
  "?": "question",
  "!": "exclam",
  "@": "at",
  "#": "numbersign",
  $: "dollar",
  "%": "percent",
  "^": "asciicircum",
  "&": "ampersand",
  "*": "asterisk",
  "|": "bar",
  "~": "asciitilde",
};

/** @throws Error for a key that no X11 keyboard has */
export function keysym(key: string): string {
  const lower = key.toLowerCase();
  const named = NAMED[lower];
  if (named !== undefined) return named;
  if (lower === "fn") throw new Error("the fn key cannot be pressed on X11; leave it out");
  if (/^f([1-9]|1\d|2[0-4])$/.test(lower)) return lower.toUpperCase();
  const letters = [...key];
  if (letters.length === 1) {
    const code = letters[0]?.codePointAt(0) ?? 0;
    return /^[a-z0-9]$/.test(lower) ? lower : `U${code.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  if (/^[a-z][\w]*$/i.test(key)) return key;
  throw new Error(`unknown key '${key}'`);
}
