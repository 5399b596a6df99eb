import { configKey } from "../contracts/config/config.js";

const choice = <T extends string>(key: string, of: readonly T[], first: T, help: string) =>
  configKey<T>({ key, kind: { type: "choice", of }, default: first, help });
const yes = (key: string, first: boolean, help: string) =>
  configKey<boolean>({ key, kind: { type: "boolean" }, default: first, help });
const whole = (key: string, [min, first, max]: readonly [number, number, number], help: string) =>
  configKey<number>({ key, kind: { type: "integer", min, max }, default: first, help });

const DETAILS = ["hidden", "collapsed", "expanded"] as const;
const detail = (what: string, of: string) =>
  choice(`display.details.${what}`, DETAILS, "collapsed", `Initial display of ${of}: hidden, collapsed, expanded.`);

const LOOK_KEYS = [
  choice(
    "display.interface",
    ["workspace", "inline"],
    "workspace",
    "User interface of `agent`: full screen, or line mode in the terminal's scrollback.",
  ),
  configKey<string>({
    key: "display.theme",
    kind: { type: "string" },
    default: "auto",
    help: "Color theme: auto (by the terminal's background), dark, light, high-contrast, plain, or a file in themes/ without extension.",
  }),
  choice(
    "display.color",
    ["auto", "none", "16", "256", "truecolor"],
    "auto",
    "Number of colors of the terminal; auto detects it.",
  ),
  choice(
    "display.ascii",
    ["auto", "true", "false"],
    "auto",
    "Draw with ASCII characters only; auto does so unless the locale is UTF-8.",
  ),
  yes("display.animation", true, "Animate activity indicators."),
  whole("display.ambiguous_width", [1, 1, 2], "Width in cells of East Asian ambiguous characters."),
  configKey<unknown>({
    key: "display.layout",
    kind: { type: "any" },
    default: {},
    help: "Pane sizes in percent, by terminal size; set with /layout and Ctrl+Alt+arrows.",
  }),
  yes("display.mouse", false, "Use the mouse. When off, the terminal's own selection works."),
  choice(
    "display.pictures",
    ["auto", "kitty", "iterm", "sixel", "off"],
    "auto",
    "How the workspace shows pictures of tool results: auto detects the terminal; off shows a line. Inside tmux: kitty with allow-passthrough.",
  ),
  choice("display.hyperlinks", ["auto", "true", "false"], "auto", "Make URLs clickable if the terminal supports it."),
  whole("display.escape_time_ms", [1, 50, 1_000], "Milliseconds to wait after Escape for a longer key sequence."),
  choice("display.indicator", ["unicode", "ascii", "none"], "unicode", "Activity indicator: unicode, ascii, or none."),
  yes("display.screen_reader", false, "Screen reader mode: plain lines with speakers, without redrawing."),
  choice("display.language", ["en"], "en", "Language of the screen."),
] as const;

const CHAT_KEYS = [
  yes("display.streaming", true, "Show answers while they are generated."),
  detail("thinking", "reasoning"),
  detail("tools", "tools"),
  detail("children", "delegated work"),
  yes("display.inline_diffs", true, "Show diffs of edits."),
  yes("display.timestamps", false, "Show the time of messages."),
  yes("display.numbers", false, "Number tool rows in line mode."),
  yes("display.compact", false, "Omit blank rows between items."),
  yes("display.show_cost", true, "Show the cost of the conversation."),
  whole("display.user_message_preview.first_lines", [0, 2, 100], "First lines shown of a long user message."),
  whole("display.user_message_preview.last_lines", [0, 2, 100], "Last lines shown of a long user message."),
  choice("display.final_response_markdown", ["render", "strip", "raw"], "render", "How line mode renders Markdown."),
  choice(
    "display.tool_progress",
    ["all", "off", "new", "verbose"],
    "all",
    "Tool rows to show: all, off, new (one per repeated tool), verbose.",
  ),
  choice(
    "display.resume_display",
    ["full", "minimal"],
    "full",
    "Display of a resumed conversation: full, or minimal without the recap.",
  ),
] as const;

export const PERSIST_PROMPTS = yes("display.persist_prompts", true, "Save the input history.");
export const HISTORY_SIZE = whole("display.history_size", [0, 5_000, 100_000], "Maximum entries of the input history.");

const INPUT_KEYS = [
  PERSIST_PROMPTS,
  HISTORY_SIZE,
  whole("paste_collapse_threshold", [1, 5, 10_000], "Lines from which a paste is shown as a single chip."),
  whole(
    "paste_collapse_char_threshold",
    [1, 2_000, 1_000_000],
    "Characters from which a paste is shown as a single chip.",
  ),
] as const;

const ATTENTION_KEYS = [
  yes("display.set_title", true, "Show the conversation's title in the terminal title."),
  choice(
    "display.notify",
    ["auto", "bell", "off"],
    "auto",
    "Notify when a long turn ends or a question waits: auto (by terminal), bell, off.",
  ),
  yes("display.bell_on_complete", false, "Ring the bell at the end of every turn."),
] as const;

/** What the process does whose terminal is gone. */
export const AFTER_TERMINAL = choice(
  "owner.after_terminal",
  ["finish", "stay", "stop"],
  "finish",
  "When the terminal is lost: finish (exit when idle), stay, stop immediately.",
);
export const LINGER_SECONDS = whole(
  "owner.linger_seconds",
  [0, 60, 86_400],
  "Seconds that an idle process without a terminal waits for a client.",
);

/** Settings of screens. */
export const DISPLAY_KEYS = [
  ...LOOK_KEYS,
  ...CHAT_KEYS,
  ...INPUT_KEYS,
  ...ATTENTION_KEYS,
  AFTER_TERMINAL,
  LINGER_SECONDS,
] as const;
