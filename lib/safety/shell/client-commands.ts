import type { Simple } from "../options/command-line.js";
import { baseName } from "../options/programs.js";
import { sameAs } from "../options/tables.js";

/** A program that reads commands of its own, some of which start programs. */
interface Language {
  /** A line that runs something, loads code or opens a file whose content is run. */
  readonly runs: RegExp;
  /** Texts among its words are such commands. */
  readonly words?: true;
}

const EDITOR: Language = {
  runs: /^\s*(?:[\d.,$%'/?;+-]|\/[^/]*\/)*\s*(?:g?\/.*\/)?\s*(?:!|(?:r|w|e|E|W|read|write|edit)!?\s+!|(?:sh|shell|lua|python3?|py3?|perl|ruby|source|so|luafile|mkexrc)\b)|system\s*\(|^\s*[\d.,$%]*\s*(?:w|W|wq|x|sav\w*|wri\w*|f|e|E|edit)!?\s+\S*[/~]/m,
};
/** Commands with a dot, which can be shortened: the letters are those that the client needs at least. */
const SQLITE: Language = {
  runs: /^\s*["']?\s*\.(?:sh(?:e(?:l(?:l)?)?)?|sy(?:s(?:t(?:e(?:m)?)?)?)?|lo(?:a(?:d)?)?|exc(?:e(?:l)?)?|x|www?|w|cd|ar(?:c(?:h(?:i(?:v(?:e)?)?)?)?)?|testc\w*|excel)\b|^\s*["']?\s*\.\w+\s+(?:.*\s)?["']?\|| \.(?:import|once|output|read)\s+["']?\||\b(?:load_extension|edit|fts3_tokenizer|writefile)\s*\(/im,
  words: true,
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  sqlite3: SQLITE,
  sqlite: SQLITE,
  duckdb: { runs: /^\s*\.(?:sh|sy|cd)\w*\b|\b(?:install|load)\s+['"\w]|\binto\s+program\b/im, words: true },
  psql: {
    runs: /\\(?:!|e|ef|ev|setenv)\b|\\!|\\(?:o|g|gx|copy.*program|w|out)\s*\|?\s*\||\bprogram\s+'|\\[ow]\s+\|/im,
    words: true,
  },
  mysql: { runs: /\\!|^\s*(?:system|pager|tee|edit)\b|\bsys_(?:exec|eval)\s*\(/im, words: true },
  ed: EDITOR,
  ex: EDITOR,
  vi: EDITOR,
  vim: EDITOR,
  nvim: EDITOR,
  gdb: { runs: /^\s*(?:shell|!|python|pi|guile|gu|source|make|pipe|\|)\b|^\s*!|\bsystem\s*\(/m },
  dc: { runs: /!/ },
  gnuplot: { runs: /^\s*(?:!|system|shell|load|call)\b|^\s*!|\|/m, words: true },
  m4: { runs: /\b(?:syscmd|esyscmd|include|sinclude)\b/, words: true },
  ftp: { runs: /^\s*!|\|/m },
  sftp: { runs: /^\s*!/m },
  mail: { runs: /^\s*~[!|r<:]/m },
  R: { runs: /\b(?:system2?|source|dyn\.load|shell)\s*\(/, words: true },
  octave: { runs: /\b(?:system|shell_cmd|popen|exec|source|run)\b|!/, words: true },
  "redis-cli": { runs: /\b(?:config\s+set|eval|module\s+load|debug|slaveof|replicaof)\b/i, words: true },
  mongosh: { runs: /\b(?:load|require|exec|spawn|process|child_process)\b/, words: true },
};

/** The program reads commands from its input, so that a pipe whose text is not known may make it run anything. */
const READS_PIPE = /^(sqlite3|sqlite|duckdb|psql|mysql|ed|ex|gdb|dc|gnuplot|m4|ftp|sftp|R|octave|mongosh)$/;
/** Programs whose text stands in the line, or in files that it names. */
const FEEDS_TEXT = /^(echo|printf|cat|true|:)$/;

/** The program reads commands of its own that may start programs or open files. */
export const readsCommands = (program: string): boolean => {
  const name = baseName(program);
  return Object.hasOwn(LANGUAGES, name) || Object.hasOwn(LANGUAGES, sameAs(name) ?? "");
};

/** What a program runs by commands in its words or in its input; undefined when it runs nothing. */
export function runsByCommand(simple: Simple, program: string, feeders: readonly Simple[]): string | undefined {
  const name = Object.hasOwn(LANGUAGES, program) ? program : (sameAs(program) ?? "");
  const language = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (language === undefined) return undefined;
  const bodies = simple.redirects.flatMap((one) => (one.op.startsWith("<<") ? [one.body ?? one.target] : []));
  const told = feeders
    .filter((one) => /^(echo|printf)$/.test(one.words[0]?.text ?? ""))
    .flatMap((one) => one.words.slice(1));
  const texts = [...(language.words === true ? simple.words.slice(1) : []), ...bodies, ...told];
  if (texts.some(({ text }) => language.runs.test(text.replaceAll("\\n", "\n").slice(0, 50_000))))
    return `${program} runs what its commands say`;
  if (bodies.concat(told).some((word) => !word.literal)) return `${program} reads commands that are made when it runs`;
  const open = READS_PIPE.test(name) && feeders.some((one) => !FEEDS_TEXT.test(one.words[0]?.text ?? ""));
  return open ? `${program} reads commands from a pipe` : undefined;
}
