import { UNKNOWN } from "../options/command-line.js";
import { OWN_COMMANDS, OWN_SWITCHES } from "./commands.gen.js";

/** What a command of this program does, from its definition. */
export interface OwnCommand {
  readonly does: "reads" | "writes" | "settings" | "secrets" | "control";
  /** Words that make a reading command write. */
  readonly writesWith?: readonly string[];
}

/** What a command line of this program does to the program; `starts`: it begins a conversation, a screen or an owner. */
export type OwnWork = OwnCommand["does"] | "starts";

/** Where a command line of this program was found. */
export interface OwnLine {
  /** Words that are not known here follow, as under `xargs`. */
  readonly more?: boolean;
  /** Work on the board counts as harmless: a worker's own commands, and those of a project's scripts. */
  readonly board?: boolean;
}

/** From harmless to what is never run for a model. */
const RANK: readonly OwnWork[] = ["reads", "writes", "control", "starts", "secrets", "settings"];

export const gravest = (works: readonly OwnWork[]): OwnWork =>
  works.toSorted((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0] ?? "reads";

/** Options that begin something or loosen permissions, whatever command follows. */
const STARTS = /^(--(oneshot|headless|inline|yolo|allow|accept-hooks|safe-mode|ignore-rules)(=|$)|-[a-zA-Z]*z)/;
const SHOWS = /^(--help|-h|--version|-V)$/;
/** A word that may be the value of the option before it; more of them are not tried one by one. */
const DOUBTS_AT_MOST = 6;
const WORDS_AT_MOST = 3;

/**
 * Judge the words behind the program's name. An option may take the next word as its value or not: the command that each reading finds counts, so
 * that nothing depends on knowing every option.
 *
 */
export function judgeOwnWords(words: readonly string[], how: OwnLine = {}): OwnWork {
  const end = words.indexOf("--");
  const before = end === -1 ? words : words.slice(0, end);
  if (before.some((word) => SHOWS.test(word))) return "reads";
  if (before.some((word) => STARTS.test(word) || (word.startsWith("-") && word.includes(UNKNOWN)))) return "starts";
  const found = readings(before).flatMap((reading) => judgeReading(reading, words, how));
  return found.length === 0 ? "starts" : gravest(found);
}

/** Every way to read the words as those of a command: each word behind an option without `=` may belong to it. */
function readings(words: readonly string[]): readonly (readonly string[])[] {
  let all: string[][] = [[]];
  let doubts = 0;
  words.forEach((word, index) => {
    if (word.startsWith("-") && word !== "-") return;
    const doubtful = doubts < DOUBTS_AT_MOST && mayTake(words[index - 1] ?? "", word);
    if (doubtful) doubts += 1;
    all = all.flatMap((one) => {
      const taken = one.length < WORDS_AT_MOST ? [...one, word] : one;
      return doubtful ? [one, taken] : [taken];
    });
  });
  return all;
}

/** A switch takes no value but `true` and `false`. */
const mayTake = (option: string, word: string): boolean =>
  option.startsWith("-") &&
  option !== "-" &&
  !option.includes("=") &&
  (!OWN_SWITCHES.has(option) || /^(true|false)$/.test(word));

function judgeReading(
  reading: readonly string[],
  words: readonly string[],
  { more = false, board = false }: OwnLine,
): readonly OwnWork[] {
  for (let used = reading.length; used > 0; used--) {
    const path = reading.slice(0, used);
    const command = path.some((word) => word.includes(" ")) ? undefined : lookUp(path.join(" "));
    if (command === undefined) continue;
    if (board && path[0] === "kanban") return ["reads"];
    const writes = command.writesWith?.some(
      (option) => more || words.some((word) => word.includes(UNKNOWN) || word.startsWith(option)),
    );
    // What follows may name a longer command: `agent tools` and `agent tools enable`.
    const longer = (more || reading[used]?.includes(UNKNOWN)) === true ? worksBelow(path.join(" ")) : [];
    return [writes ? "writes" : command.does, ...longer];
  }
  if (reading.some((word) => word.includes(UNKNOWN)) || more) return ["settings"];
  if (reading.length === 0) return ["starts"];
  const [group] = reading;
  return group !== undefined && reading.length === 1 && worksBelow(group).length > 0 ? ["reads"] : [];
}

const lookUp = (path: string): OwnCommand | undefined =>
  Object.hasOwn(OWN_COMMANDS, path) ? OWN_COMMANDS[path] : undefined;

const worksBelow = (path: string): readonly OwnWork[] =>
  Object.entries(OWN_COMMANDS).flatMap(([name, { does }]) => (name.startsWith(`${path} `) ? [does] : []));
