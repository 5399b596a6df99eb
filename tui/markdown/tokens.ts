/** What may go over several lines. */
export type SpanKind = "comment" | "string";

/** What a token is, for its colour; anything else is a word. */
const TOKEN_KINDS = ["comment", "string", "number", "key", "call", "type", "variable", "operator"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Sources of expressions without groups, in the order in which they are tried. Each is linear in the line. */
export type Marks = readonly (readonly [kind: TokenKind, source: string])[];

/** What the tokens of a language are made of. */
interface Parts {
  readonly line?: readonly string[];
  readonly spans: readonly (readonly [open: string, close: string, kind: SpanKind])[];
  readonly quotes?: string;
  readonly prefix?: string;
  readonly marks?: Marks;
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Kind of a token, from the groups of `tokensOf`: a kind may have several. */
export function kindOf(groups: Readonly<Record<string, string | undefined>>): TokenKind | undefined {
  for (const name in groups) if (groups[name] !== undefined) return TOKEN_KINDS.find((kind) => name.startsWith(kind));
  return undefined;
}

/** One expression for all tokens of a language. Group `open`: a construct over several lines begins. */
export function tokensOf({ line = [], spans, quotes = "", prefix = "", marks = [] }: Parts): RegExp {
  const keys = marks.filter(([kind]) => kind === "key" || kind === "string");
  const rest = marks.filter(([kind]) => kind !== "key" && kind !== "string");
  const named = (group: Marks, from: number) => group.map(([kind, source], at) => `(?<${kind}${from + at}>${source})`);
  const parts = [
    ...(spans.length > 0 ? [`(?<open>${spans.map(([open]) => literally(open)).join("|")})`] : []),
    ...(line.length > 0
      ? [`(?<comment>(?:${line.map((one) => (one === "#" ? "(?<![^\\s;])#" : literally(one))).join("|")}).*)`]
      : []),
    ...named(keys, 1),
    ...(quotes === ""
      ? []
      : [`(?<string>${[...quotes].map((quote) => `${prefix}${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}`).join("|")})`]),
    ...named(
      rest.filter(([kind]) => kind === "number"),
      1 + keys.length,
    ),
    "(?<number>\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\b)",
    ...named(
      rest.filter(([kind]) => kind !== "number"),
      1 + marks.length,
    ),
    "[A-Za-z_$][\\w$-]*",
  ];
  return new RegExp(parts.join("|"), "g");
}
