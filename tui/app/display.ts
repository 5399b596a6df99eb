import type { VoiceMode } from "../../lib/contracts/media/voice.js";
import type { DisplaySettings } from "../../lib/contracts/ui/display.js";
import type { OwnTheme } from "../../lib/contracts/ui/theme.js";
import type { PictureProtocol } from "../terminal/picture-bytes.js";
import type { RecordingLimits } from "../voice/messages.js";

/** The settings `display.*` as the screen needs them (workspace part, 18). */
export interface Display {
  /** `auto`, a shipped theme, or the name of an own one. */
  readonly theme: string;
  readonly themes: readonly OwnTheme[];
  readonly color: string;
  readonly ascii: boolean;
  readonly animation: boolean;
  readonly ambiguousWidth: 1 | 2;
  readonly mouse: boolean;
  readonly hyperlinks: boolean;
  /** How pictures of results are shown; `off`: by a line. */
  readonly pictures: PictureProtocol | "off";
  /** Whose answer decides how, where the environment does not tell: the terminal's, or tmux's. */
  readonly picturesBy: "terminal" | "tmux" | undefined;
  /** Percent, by class of size: `wide`, `wider`, `widest`. */
  readonly layout: Readonly<Record<string, Split>>;
  readonly streaming: boolean;
  readonly inlineDiffs: boolean;
  readonly timestamps: boolean;
  readonly compact: boolean;
  readonly showCost: boolean;
  readonly showReasoning: boolean;
  readonly toolProgress: "all" | "off" | "new" | "verbose";
  readonly details: { readonly thinking: Detail; readonly tools: Detail; readonly children: Detail };
  readonly userPreview: { readonly first: number; readonly last: number };
  readonly busyMode: "auto" | "queue" | "steer" | "interrupt";
  readonly persistPrompts: boolean;
  readonly historySize: number;
  readonly pasteLines: number;
  readonly pasteChars: number;
  readonly escapeMs: number;
  readonly setTitle: boolean;
  readonly notify: "auto" | "bell" | "off";
  readonly bellOnComplete: boolean;
  /** Sign of what runs. */
  readonly indicator: "unicode" | "ascii" | "none";
  /** False: a conversation that is taken up is shown without its recap. */
  readonly resumeRecap: boolean;
  /** Rows of calls in line mode begin with their number. */
  readonly numbers: boolean;
  /** How line mode shows the Markdown of an answer. */
  readonly answerMarkdown: "render" | "strip" | "raw";
  readonly voice: RecordingLimits & { readonly mode: VoiceMode; readonly recordKey: string };
}

export type Detail = "hidden" | "collapsed" | "expanded";

/** Shares of panes in percent, by id: the chat's of the width, the others' of the height at the right. Missing: the default. */
export type Split = Readonly<Partial<Record<string, number>>>;

export const DISPLAY: Display = {
  theme: "auto",
  themes: [],
  color: "auto",
  ascii: false,
  animation: true,
  ambiguousWidth: 1,
  mouse: false,
  hyperlinks: false,
  pictures: "off",
  picturesBy: "terminal",
  layout: {},
  streaming: true,
  inlineDiffs: true,
  timestamps: false,
  compact: false,
  showCost: true,
  showReasoning: true,
  toolProgress: "all",
  details: { thinking: "collapsed", tools: "collapsed", children: "collapsed" },
  userPreview: { first: 2, last: 2 },
  busyMode: "auto",
  persistPrompts: true,
  historySize: 5_000,
  pasteLines: 5,
  pasteChars: 2_000,
  escapeMs: 50,
  setTitle: true,
  notify: "auto",
  bellOnComplete: false,
  indicator: "unicode",
  resumeRecap: true,
  numbers: false,
  answerMarkdown: "render",
  voice: { mode: "off", recordKey: "ctrl+b", maxSeconds: 120, silenceThreshold: 200, silenceSeconds: 3 },
};

type Env = Readonly<Record<string, string | undefined>>;
type Values = DisplaySettings["values"];

const flag = (values: Values, key: string, without: boolean): boolean => {
  const value = values[key];
  return typeof value === "boolean" ? value : without;
};
const count = (values: Values, key: string, without: number): number => {
  const value = values[key];
  return typeof value === "number" ? value : without;
};
/** One of the words that `without` stands for: the owner has checked the value. */
const word = <T extends string>(values: Values, key: string, without: T): T => {
  const value = values[key];
  return typeof value === "string" ? (value as T) : without; // the key's own choices, in the same order in `display-keys`
};

/** The settings that the owner tells, on a terminal with this environment. An owner of another version may not know every key. */
export function displayFrom({ values, themes }: DisplaySettings, env: Env): Display {
  const detail = (what: keyof Display["details"]) =>
    word<Detail>(values, `display.details.${what}`, DISPLAY.details[what]);
  const ascii = word(values, "display.ascii", "auto");
  const progress = word(values, "display.tool_progress", DISPLAY.toolProgress);
  const links = word(values, "display.hyperlinks", "auto");
  return {
    theme: word(values, "display.theme", DISPLAY.theme),
    themes,
    color: word(values, "display.color", DISPLAY.color),
    ascii: ascii === "auto" ? !isUtf8(env) : ascii === "true",
    animation: flag(values, "display.animation", DISPLAY.animation),
    ambiguousWidth: count(values, "display.ambiguous_width", 1) === 2 ? 2 : 1,
    mouse: flag(values, "display.mouse", DISPLAY.mouse),
    ...picturesFrom(word(values, "display.pictures", "auto"), env),
    hyperlinks: links === "auto" ? linksKnown(env) : links === "true",
    layout: layoutFrom(values["display.layout"]),
    streaming: flag(values, "display.streaming", DISPLAY.streaming),
    inlineDiffs: flag(values, "display.inline_diffs", DISPLAY.inlineDiffs),
    timestamps: flag(values, "display.timestamps", DISPLAY.timestamps),
    compact: flag(values, "display.compact", DISPLAY.compact),
    showCost: flag(values, "display.show_cost", DISPLAY.showCost),
    showReasoning: flag(values, "display.show_reasoning", DISPLAY.showReasoning),
    toolProgress: progress,
    details: {
      thinking: detail("thinking"),
      tools: toolsFrom(detail("tools"), progress),
      children: detail("children"),
    },
    userPreview: {
      first: count(values, "display.user_message_preview.first_lines", DISPLAY.userPreview.first),
      last: count(values, "display.user_message_preview.last_lines", DISPLAY.userPreview.last),
    },
    busyMode: word(values, "display.busy_input_mode", DISPLAY.busyMode),
    persistPrompts: flag(values, "display.persist_prompts", DISPLAY.persistPrompts),
    historySize: count(values, "display.history_size", DISPLAY.historySize),
    pasteLines: count(values, "paste_collapse_threshold", DISPLAY.pasteLines),
    pasteChars: count(values, "paste_collapse_char_threshold", DISPLAY.pasteChars),
    escapeMs: count(values, "display.escape_time_ms", DISPLAY.escapeMs),
    setTitle: flag(values, "display.set_title", DISPLAY.setTitle),
    notify: word(values, "display.notify", DISPLAY.notify),
    bellOnComplete: flag(values, "display.bell_on_complete", DISPLAY.bellOnComplete),
    indicator: word(values, "display.indicator", DISPLAY.indicator),
    resumeRecap: word(values, "display.resume_display", "full") === "full",
    numbers: flag(values, "display.numbers", DISPLAY.numbers),
    answerMarkdown: word(values, "display.final_response_markdown", DISPLAY.answerMarkdown),
    voice: {
      mode: word(values, "voice.mode", DISPLAY.voice.mode),
      recordKey: word(values, "voice.record_key", DISPLAY.voice.recordKey),
      maxSeconds: count(values, "voice.max_recording_seconds", DISPLAY.voice.maxSeconds),
      silenceThreshold: count(values, "voice.silence_threshold", DISPLAY.voice.silenceThreshold),
      silenceSeconds: count(values, "voice.silence_duration", DISPLAY.voice.silenceSeconds),
    },
  };
}

/** What a setting says of all rows of tools comes before what it says of one. */
const toolsFrom = (tools: Detail, progress: Display["toolProgress"]): Detail =>
  progress === "off" ? "hidden" : progress === "verbose" && tools === "collapsed" ? "expanded" : tools;

/** What holds before the owner has told its settings. */
export const displayAtFirst = (env: Env): Display => displayFrom({ values: {}, themes: [] }, env);

/** Whether the locale of an environment is UTF-8; the first of these that is set decides. */
function isUtf8(env: Env): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale);
}

/** Terminals that show pictures, as far as their environment tells. Multiplexers keep cells alone: tmux is asked what it passes on. */
function picturesFrom(wanted: string, env: Env): Pick<Display, "pictures" | "picturesBy"> {
  const set = (pictures: Display["pictures"], picturesBy?: Display["picturesBy"]) => ({ pictures, picturesBy });
  if (env["STY"] || env["TERM"] === "dumb") return set("off");
  if (env["TMUX"]) return set("off", wanted === "auto" || wanted === "kitty" ? "tmux" : undefined);
  if (wanted === "kitty" || wanted === "iterm" || wanted === "sixel") return set(wanted);
  if (wanted !== "auto") return set("off");
  const { TERM: term = "", TERM_PROGRAM: program = "" } = env;
  if (env["KITTY_WINDOW_ID"] || /^xterm-(?:kitty|ghostty)$/.test(term) || program === "ghostty") return set("kitty");
  if (program === "iTerm.app" || program === "WezTerm") return set("iterm");
  return /^(?:foot|mlterm|contour)/.test(term) ? set("sixel") : set("off", "terminal");
}

/** Terminals that make addresses clickable, as far as their environment tells. */
function linksKnown(env: Env): boolean {
  // Multiplexers hide what the terminal behind them can do.
  if (env["TMUX"] || env["STY"] || env["TERM"] === "dumb") return false;
  const known = /^(iTerm\.app|WezTerm|ghostty|vscode|Hyper)$/.test(env["TERM_PROGRAM"] ?? "");
  return (
    known ||
    Boolean(env["WT_SESSION"] || env["KITTY_WINDOW_ID"]) ||
    /kitty|foot|alacritty|ghostty/.test(env["TERM"] ?? "") ||
    Number(env["VTE_VERSION"]) >= 5000
  );
}

function layoutFrom(value: unknown): Display["layout"] {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, split]) =>
      typeof split === "object" && split !== null ? [[name, splitFrom(split)]] : [],
    ),
  );
}

function splitFrom(value: object): Split {
  const shares = Object.entries(value).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > 0 && entry[1] < 100,
  );
  return Object.fromEntries(shares);
}
