import type { Span } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import type { Painted } from "./code.js";

/** A scope of the grammar and what stands in it. The root has no scope. */
export interface ScopeNode {
  readonly scope?: string;
  readonly children: readonly (string | ScopeNode)[];
}

/** Styles of scopes; `title.function` is found as `title` unless it stands here itself. */
const STYLES: ReadonlyMap<string, number> = new Map([
  ...["keyword", "selector-tag", "built_in", "literal", "section"].map((scope) => [scope, THEME.codeKeyword] as const),
  ...["string", "regexp", "quote", "char", "link", "code"].map((scope) => [scope, THEME.codeString] as const),
  ...["number", "symbol", "bullet"].map((scope) => [scope, THEME.codeNumber] as const),
  ...["comment", "doctag"].map((scope) => [scope, THEME.codeComment] as const),
  ...["title", "attr", "attribute", "name", "tag", "property"].map((scope) => [scope, THEME.codeName] as const),
  ...["type", "variable", "template-variable", "subst", "meta", "title.class", "params.type"].map(
    (scope) => [scope, THEME.codeType] as const,
  ),
  ...["selector-id", "selector-class", "selector-attr", "selector-pseudo"].map(
    (scope) => [scope, THEME.codeType] as const,
  ),
  ...["operator", "punctuation"].map((scope) => [scope, THEME.codeOperator] as const),
  ["addition", THEME.diffAdd],
  ["deletion", THEME.diffDel],
]);

/** What the grammar says of a piece of text; undefined: nothing. */
type Verdict = number | undefined;

function judge(scope: string, around: Verdict): Verdict {
  if (scope.startsWith("language:")) return around ?? THEME.text; // text of a language within the other: JSX
  const exact = scope.split(".").slice(0, 2).join(".");
  return STYLES.get(exact) ?? STYLES.get(scope.split(".")[0] ?? "") ?? around;
}

/** First colours that hold where the grammar says nothing: those of single words and signs, never of what may span more. */
const KEPT: ReadonlySet<number> = new Set([THEME.codeName, THEME.codeType, THEME.codeOperator]);

/**
 * Spans of each line, from the tree that a grammar gave. Where the grammar says nothing, names and operators keep their first colours.
 *
 * @param first the lines in their first colours
 */
export function toPainted(root: ScopeNode, first: Painted): Painted {
  const lines: (readonly [Verdict, string])[][] = [[]];
  const walk = ({ children }: ScopeNode, verdict: Verdict): void => {
    for (const child of children) {
      if (typeof child !== "string") {
        walk(child, child.scope === undefined ? verdict : judge(child.scope, verdict));
        continue;
      }
      for (const [at, text] of child.split("\n").entries()) {
        if (at > 0) lines.push([]);
        if (text !== "") lines.at(-1)?.push([verdict, text]);
      }
    }
  };
  walk(root, undefined);
  return lines.map((line, at) => mergeLine(line, first[at] ?? []));
}

function mergeLine(line: readonly (readonly [Verdict, string])[], first: readonly Span[]): readonly Span[] {
  const spans: [number, string][] = [];
  const put = (style: number, text: string): void => {
    const last = spans.at(-1);
    if (last?.[0] === style) last[1] += text;
    else if (text !== "") spans.push([style, text]);
  };
  let from = 0;
  for (const [verdict, text] of line) {
    if (verdict !== undefined) put(verdict, text);
    else
      for (const [style, part] of cut(first, from, from + text.length)) put(KEPT.has(style) ? style : THEME.text, part);
    from += text.length;
  }
  return spans;
}

/** The part of some spans between two places. */
function cut(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const parts: Span[] = [];
  let at = 0;
  for (const [style, text] of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== "") parts.push([style, part]);
    at += text.length;
  }
  return parts;
}
