import { configKey } from "../contracts/config/config.js";

const choice = <T extends string>(key: string, of: readonly T[], first: T, help: string) =>
  configKey<T>({ key, kind: { type: "choice", of }, default: first, help });
const yes = (key: string, first: boolean, help: string) =>
  configKey<boolean>({ key, kind: { type: "boolean" }, default: first, help });
const whole = (key: string, [min, first, max]: readonly [number, number, number], help: string) =>
  configKey<number>({ key, kind: { type: "integer", min, max }, default: first, help });

const DETAILS = ["hidden", "collapsed", "expanded"] as const;
const detail = (what: string, of: string) =>
  choice(
    `display.details.${what}`,
    DETAILS,
    "collapsed",
    `How much of ${of} is shown at first: hidden, collapsed, expanded.`,
  );

const LOOK_KEYS = [
  choice(
    "display.interface",
    ["workspace", "inline"],
    "workspace",
    "What `agent` opens: the full screen, or lines in the terminal's own scrollback.",
  ),
  configKey<string>({
    key: "display.theme",
    kind: { type: "string" },
    default: "auto",
    help: "Colours of the screen: auto (by the terminal's background), dark, light, high-contrast, plain, or a file of themes/ without its ending.",
  }),
  choice(
    "display.color",
    ["auto", "none", "16", "256", "truecolor"],
    "auto",
    "How many colours the terminal has; auto asks its environment.",
  ),
  choice(
    "display.ascii",
    ["auto", "true", "false"],
    "auto",
    "Draw with ASCII signs only; auto where the locale is not UTF-8.",
  ),
  yes("display.animation", true, "Let signs of running work turn."),
  whole("display.ambiguous_width", [1, 1, 2], "Cells of characters that East Asian terminals draw wide."),
  configKey<unknown>({
    key: "display.layout",
    kind: { type: "any" },
    default: {},
    help: "Sizes of the panes in percent, by size of the terminal; /layout and Ctrl+Alt+arrows write it.",
  }),
  yes("display.mouse", false, "Take the mouse; without it the terminal's own selection works."),
  choice("display.hyperlinks", ["auto", "true", "false"], "auto", "Make addresses clickable where the terminal can."),
  whole("display.escape_time_ms", [1, 50, 1_000], "How long a lone Escape is waited for to become another key."),
  choice(
    "display.indicator",
    ["unicode", "ascii", "none"],
    "unicode",
    "Sign of running work: unicode, ascii, or none.",
  ),
  yes("display.screen_reader", false, "Lines only, each event with its speaker, nothing drawn again."),
  choice("display.language", ["en"], "en", "Language of the screen."),
] as const;

const CHAT_KEYS = [
  yes("display.streaming", true, "Show answers while they are written."),
  detail("thinking", "what the model thinks"),
  detail("tools", "tools"),
  detail("children", "delegated work"),
  yes("display.inline_diffs", true, "Show what an edit changed."),
  yes("display.timestamps", false, "Show when a message came."),
  yes("display.numbers", false, "Number the rows of tools in line mode."),
  yes("display.compact", false, "No blank rows between items."),
  yes("display.show_cost", true, "Show what a conversation has cost."),
  whole(
    "display.user_message_preview.first_lines",
    [0, 2, 100],
    "First lines of a long message of the user that stay visible.",
  ),
  whole(
    "display.user_message_preview.last_lines",
    [0, 2, 100],
    "Last lines of a long message of the user that stay visible.",
  ),
  choice(
    "display.final_response_markdown",
    ["render", "strip", "raw"],
    "render",
    "How line mode shows the Markdown of an answer.",
  ),
  choice(
    "display.tool_progress",
    ["all", "off", "new", "verbose"],
    "all",
    "Which rows of tools appear: all, off, new (one per kind in a row), verbose.",
  ),
  choice(
    "display.resume_display",
    ["full", "minimal"],
    "full",
    "What is shown of a conversation that is taken up: full, or minimal without the recap.",
  ),
] as const;

export const PERSIST_PROMPTS = yes(
  "display.persist_prompts",
  true,
  "Keep what was typed for the history of the input line.",
);
export const HISTORY_SIZE = whole(
  "display.history_size",
  [0, 5_000, 100_000],
  "Entries of the history of the input line.",
);

const INPUT_KEYS = [
  PERSIST_PROMPTS,
  HISTORY_SIZE,
  whole("paste_collapse_threshold", [1, 5, 10_000], "Lines from which a paste is shown as one sign."),
  whole("paste_collapse_char_threshold", [1, 2_000, 1_000_000], "Characters from which a paste is shown as one sign."),
] as const;

const ATTENTION_KEYS = [
  yes("display.set_title", true, "Put the name of the conversation into the terminal's title."),
  choice(
    "display.notify",
    ["auto", "bell", "off"],
    "auto",
    "How to tell that a long turn ended or a question waits: auto (as the terminal can), bell, off.",
  ),
  yes("display.bell_on_complete", false, "Ring at the end of every turn."),
] as const;

/** What the process does whose terminal is gone. */
export const AFTER_TERMINAL = choice(
  "owner.after_terminal",
  ["finish", "stay", "stop"],
  "finish",
  "When the terminal is lost: finish (end when nothing is left to do), stay, stop at once.",
);
export const LINGER_SECONDS = whole(
  "owner.linger_seconds",
  [0, 60, 86_400],
  "How long a process that lost its terminal waits for a front end when nothing is left to do.",
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
