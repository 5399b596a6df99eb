import { type Marks, type SpanKind, tokensOf } from "./tokens.js";

/** How the tokens of a language are recognised: enough for its colours, not for its grammar. */
export interface Language {
  /** Global; a group for each `TokenKind`, and `open`; anything else is a word. */
  readonly tokens: RegExp;
  /** What is computed within its strings. */
  readonly inside: RegExp | undefined;
  readonly words: ReadonlySet<string>;
  /** Constructs that may go over several lines: beginning, end, style. */
  readonly spans: readonly (readonly [open: string, close: string, kind: SpanKind])[];
  readonly anyCase: boolean;
  readonly diff: boolean;
}

interface Family {
  readonly names: string;
  /** Beginning of a comment up to the end of the line. */
  readonly line?: readonly string[];
  readonly spans?: Language["spans"];
  readonly quotes?: string;
  readonly words?: string;
  readonly anyCase?: boolean;
  /** Tokens that this family has besides comments, strings, numbers and words. */
  readonly marks?: Marks;
  /** What may stand before the quotes of a string. */
  readonly prefix?: string;
  /** What is computed within a string. */
  readonly inside?: string;
}

/** Calls, types and constants by how they are written. */
const NAMED: Marks = [
  ["call", String.raw`[A-Za-z_$][\w$]*(?=\()`],
  ["type", String.raw`\b[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\b`],
  ["number", String.raw`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`],
  ["operator", "[-+*/%=<>!&|^~?]+"],
];
const DECORATED: Marks = [["type", String.raw`@[A-Za-z_][\w.]*`], ...NAMED];
const LITERAL: Marks = [
  [
    "string",
    String.raw`(?<=(?:^|[=(,:;!&|?{}\[]|return) {0,4})\/(?![*/ ])(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*`,
  ],
];
const SHELL_VALUE = String.raw`\$(?:\{[^}]*\}|\w+|[@*#?!$-])`;
const JS_VALUE = String.raw`\$\{[^{}]*\}`;
const SHELL: Marks = [
  ["variable", SHELL_VALUE],
  ["key", String.raw`(?<=\s)--?[A-Za-z][\w-]*`],
  ["call", String.raw`(?<=(?:^|[|&;(]) {0,8}(?:\$ )?)[A-Za-z_./~][\w./+-]*(?![\w./+=-])`],
  ["operator", "[|&;<>=]+"],
];
const VARIABLES: Marks = [["variable", String.raw`\$\w+`], ...NAMED];
/** Names before a colon or an equals sign, at the beginning of a line or of an item. */
const SETTINGS: Marks = [
  ["type", String.raw`^\s{0,80}\[[^\]]*\]$`],
  ["key", String.raw`(?<=^ {0,80}(?:- )?)[\w.$/-]+(?= ?[:=])`],
];
const JSON_KEYS: Marks = [["key", String.raw`"(?:[^"\\]|\\.)*"(?= {0,8}:)`]];
const MARKUP: Marks = [
  ["key", String.raw`<\/?[A-Za-z][\w:.-]*|\/?>`],
  ["type", String.raw`[A-Za-z_:@][\w:.-]*(?==)`],
];
const STYLES: Marks = [
  ["key", String.raw`(?<=^\s{1,40}|[{;] {0,8})[a-z-]+(?= {0,8}:)`],
  ["type", String.raw`[.#&:]{1,2}[A-Za-z_][\w-]*`],
  ["number", String.raw`#[\da-fA-F]{3,8}\b|\b\d+(?:\.\d+)?(?:%|[a-z]{1,4}\b)`],
  ["call", String.raw`[a-z-]+(?=\()`],
];

const BLOCK = [["/*", "*/", "comment"]] as const;
const C =
  "if else for while do switch case default break continue return goto struct union enum typedef const static void int char long short unsigned signed float double sizeof true false nullptr NULL";
const FAMILIES: readonly Family[] = [
  {
    names: "js javascript jsx ts typescript tsx mjs cjs mts cts",
    marks: [...LITERAL, ...DECORATED],
    inside: JS_VALUE,
    line: ["//"],
    spans: [...BLOCK, ["`", "`", "string"]],
    quotes: "\"'",
    words:
      "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield",
  },
  {
    names: "c h cpp c++ cc hpp cxx cs csharp objc",
    marks: [["type", String.raw`^\s{0,40}#\s*\w+`], ...NAMED],
    line: ["//"],
    spans: BLOCK,
    quotes: "\"'",
    words: `${C} class public private protected virtual override template typename namespace using new delete this throw try catch auto bool string var async await internal sealed operator inline extern`,
  },
  {
    names: "java kotlin kt scala swift dart groovy gradle",
    marks: DECORATED,
    line: ["//"],
    spans: BLOCK,
    quotes: "\"'",
    words:
      "abstract as assert boolean break byte case catch char class const continue def default do double else enum extends extension false final finally float for fun func guard if implements import in init instanceof int interface internal is lateinit let long match new nil null object open override package private protected protocol public return sealed self short static struct super switch synchronized this throw throws trait true try type val var void volatile when where while with yield",
  },
  {
    names: "go golang",
    marks: NAMED,
    line: ["//"],
    spans: [...BLOCK, ["`", "`", "string"]],
    quotes: "\"'",
    words:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil string int int64 uint byte rune bool error any float64",
  },
  {
    names: "rust rs zig",
    marks: [["call", String.raw`\b\w+!(?=[(\[{ ])`], ["type", String.raw`'[a-z_]\w*\b(?!')|#!?\[[^\]]*\]`], ...NAMED],
    line: ["//"],
    spans: BLOCK,
    quotes: '"',
    words:
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while bool char str u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 String Vec Option Result Some None Ok Err",
  },
  {
    names: "php",
    marks: VARIABLES,
    inside: SHELL_VALUE,
    line: ["//", "#"],
    spans: BLOCK,
    quotes: "\"'",
    words:
      "abstract and array as break case catch class const continue declare default do echo else elseif empty extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or private protected public require return static string switch this throw trait true try use var void while yield",
  },
  {
    names: "py python python3 pyi",
    marks: DECORATED,
    prefix: "[rbfuRBFU]{0,2}",
    inside: String.raw`\{[^{}]*\}`,
    line: ["#"],
    spans: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    quotes: "\"'",
    words:
      "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  },
  {
    names: "rb ruby elixir ex exs crystal",
    marks: [["variable", String.raw`@{1,2}\w+|(?<![\w:]):[a-z_]\w*[?!]?`], ...NAMED],
    inside: String.raw`#\{[^}]*\}`,
    line: ["#"],
    quotes: "\"'",
    words:
      "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private redo require rescue retry return self super then true undef unless until when while yield defmodule defp fn use import",
  },
  {
    names: "sh bash zsh shell console fish dockerfile docker makefile make",
    marks: SHELL,
    inside: SHELL_VALUE,
    line: ["#"],
    quotes: "\"'",
    words:
      "if then else elif fi case esac for select while until do done in function time return exit export local readonly set unset shift source alias echo cd FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER",
  },
  {
    names: "yaml yml toml ini conf properties env",
    marks: SETTINGS,
    line: ["#"],
    quotes: "\"'",
    words: "true false null yes no on off",
  },
  {
    names: "json jsonc json5 jsonl",
    marks: JSON_KEYS,
    line: ["//"],
    spans: BLOCK,
    quotes: '"',
    words: "true false null",
  },
  {
    names: "css scss less",
    marks: STYLES,
    line: [],
    spans: BLOCK,
    quotes: "\"'",
    words: "important import media supports keyframes font-face charset",
  },
  {
    names: "html xml svg vue svelte markup",
    marks: MARKUP,
    spans: [["<!--", "-->", "comment"]],
    quotes: "\"'",
    words: "",
  },
  {
    names: "sql pgsql sqlite mysql plsql",
    marks: [
      ["call", String.raw`\b[a-z_]\w*(?=\()`],
      ["operator", "[-+*/%=<>!|]+"],
    ],
    line: ["--"],
    spans: BLOCK,
    quotes: "'",
    anyCase: true,
    words:
      "add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
  },
  {
    names: "lua haskell hs",
    marks: NAMED,
    line: ["--"],
    quotes: "\"'",
    words:
      "and break case class data do else elseif end false for function if import in instance let local module nil not of or repeat return then true type until where while newtype deriving",
  },
  {
    names: "lisp clojure clj scheme elisp",
    line: [";"],
    quotes: '"',
    words: "def defn defun defmacro let if cond when lambda fn loop recur do nil true false ns require setq",
  },
  {
    names: "r perl pl julia jl powershell ps1 nim",
    marks: VARIABLES,
    line: ["#"],
    quotes: "\"'",
    words:
      "my our sub use package if elsif else elseif unless for foreach while until do last next return function end begin let const local global module import using true false TRUE FALSE NULL nothing struct in param process",
  },
];

function made({ spans = [], words = "", anyCase = false, inside, ...more }: Family): Language {
  return {
    tokens: tokensOf({ spans, ...more }),
    inside: inside === undefined ? undefined : new RegExp(inside, "g"),
    words: new Set(words.split(" ")),
    spans,
    anyCase,
    diff: false,
  };
}

const DIFF: Language = { tokens: /(?!)/g, inside: undefined, words: new Set(), spans: [], anyCase: false, diff: true };
const ready = new Map<string, Language | undefined>([
  ["diff", DIFF],
  ["patch", DIFF],
]);

/** The language that a fence names; undefined: its code has one colour. Made when it is first met. */
export function languageOf(name: string): Language | undefined {
  const known = ready.get(name);
  if (known !== undefined || ready.has(name)) return known;
  const family = FAMILIES.find(({ names }) => names.split(" ").includes(name));
  const language = family === undefined ? undefined : made(family);
  if (family !== undefined) for (const one of family.names.split(" ")) ready.set(one, language);
  return language;
}
