type SpanKind = "comment" | "string";

/** How the tokens of a language are told apart: enough for its colours, not for its grammar. */
export interface Language {
  /** Global; groups `comment`, `string`, `number`, `open`; anything else is a word. */
  readonly tokens: RegExp;
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
}

const BLOCK = [["/*", "*/", "comment"]] as const;
const C =
  "if else for while do switch case default break continue return goto struct union enum typedef const static void int char long short unsigned signed float double sizeof true false nullptr NULL";
const FAMILIES: readonly Family[] = [
  {
    names: "js javascript jsx ts typescript tsx mjs cjs mts cts",
    line: ["//"],
    spans: [...BLOCK, ["`", "`", "string"]],
    quotes: "\"'",
    words:
      "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield",
  },
  {
    names: "c h cpp c++ cc hpp cxx cs csharp objc",
    line: ["//"],
    spans: BLOCK,
    quotes: "\"'",
    words: `${C} class public private protected virtual override template typename namespace using new delete this throw try catch auto bool string var async await internal sealed operator inline extern`,
  },
  {
    names: "java kotlin kt scala swift dart groovy gradle",
    line: ["//"],
    spans: BLOCK,
    quotes: "\"'",
    words:
      "abstract as assert boolean break byte case catch char class const continue def default do double else enum extends extension false final finally float for fun func guard if implements import in init instanceof int interface internal is lateinit let long match new nil null object open override package private protected protocol public return sealed self short static struct super switch synchronized this throw throws trait true try type val var void volatile when where while with yield",
  },
  {
    names: "go golang",
    line: ["//"],
    spans: [...BLOCK, ["`", "`", "string"]],
    quotes: "\"'",
    words:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil string int int64 uint byte rune bool error any float64",
  },
  {
    names: "rust rs zig",
    line: ["//"],
    spans: BLOCK,
    quotes: '"',
    words:
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while bool char str u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 String Vec Option Result Some None Ok Err",
  },
  {
    names: "php",
    line: ["//", "#"],
    spans: BLOCK,
    quotes: "\"'",
    words:
      "abstract and array as break case catch class const continue declare default do echo else elseif empty extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or private protected public require return static string switch this throw trait true try use var void while yield",
  },
  {
    names: "py python python3 pyi",
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
    line: ["#"],
    quotes: "\"'",
    words:
      "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private redo require rescue retry return self super then true undef unless until when while yield defmodule defp fn use import",
  },
  {
    names: "sh bash zsh shell console fish dockerfile docker makefile make",
    line: ["#"],
    quotes: "\"'",
    words:
      "if then else elif fi case esac for select while until do done in function time return exit export local readonly set unset shift source alias echo cd FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER",
  },
  { names: "yaml yml toml ini conf properties env", line: ["#"], quotes: "\"'", words: "true false null yes no on off" },
  { names: "json jsonc json5 jsonl", line: ["//"], spans: BLOCK, quotes: '"', words: "true false null" },
  { names: "css scss less", line: [], spans: BLOCK, quotes: "\"'", words: "important import media supports keyframes font-face charset" },
  { names: "html xml svg vue svelte markup", spans: [["<!--", "-->", "comment"]], quotes: "\"'", words: "" },
  {
    names: "sql pgsql sqlite mysql plsql",
    line: ["--"],
    spans: BLOCK,
    quotes: "'",
    anyCase: true,
    words:
      "add all alter and as asc begin between by case cast check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
  },
  {
    names: "lua haskell hs",
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
    line: ["#"],
    quotes: "\"'",
    words:
      "my our sub use package if elsif else elseif unless for foreach while until do last next return function end begin let const local global module import using true false TRUE FALSE NULL nothing struct in param process",
  },
];

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function made({ line = [], spans = [], quotes = "", words = "", anyCase = false }: Family): Language {
  const parts = [
    ...(spans.length > 0 ? [`(?<open>${spans.map(([open]) => literally(open)).join("|")})`] : []),
    ...(line.length > 0 ? [`(?<comment>(?:${line.map((one) => (one === "#" ? "(?<![^\\s;])#" : literally(one))).join("|")}).*)`] : []),
    ...(quotes === "" ? [] : [`(?<string>${[...quotes].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`).join("|")})`]),
    "(?<number>\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\b)",
    "[A-Za-z_$][\\w$-]*",
  ];
  return { tokens: new RegExp(parts.join("|"), "g"), words: new Set(words.split(" ")), spans, anyCase, diff: false };
}

const DIFF: Language = { tokens: /(?!)/g, words: new Set(), spans: [], anyCase: false, diff: true };
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
