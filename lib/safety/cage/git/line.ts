/** One program call of a plain line: every word is literal. */
export interface PlainCall {
  readonly words: readonly string[];
  /** `2>&1`, `>/dev/null` and the like, as the shell takes them. */
  readonly redirects: readonly string[];
}

/** Calls joined by pipes, and the operator before the first of them. */
export interface PlainPipeline {
  readonly after: "" | "&&" | "||" | ";";
  readonly calls: readonly PlainCall[];
}

/** Operators first, then redirections without a file, then words: quoted text, or characters that mean nothing to a shell. */
const TOKEN =
  /(&&|\|\||[;\n|])|([12&]?>\/dev\/null|2>&1)(?=[\s;|&]|$)|((?:'[^']*'|"[^"$`\\!]*"|@\{[\w/-]*\}|[\w@%+=:,./^~-])+)/y;

/**
 * Read a line that consists of plain calls only: literal words, pipes, `&&`, `||`, `;`. Undefined for every line that asks more of a shell:
 * variables, substitutions, globs, redirections to files, assignments, compound commands.
 */
export function readPlainLine(text: string): readonly PlainPipeline[] | undefined {
  const pipelines: PlainPipeline[] = [];
  let after: PlainPipeline["after"] = "";
  let calls: PlainCall[] = [];
  let call = { words: [] as string[], redirects: [] as string[] };
  const endCall = (): boolean => {
    if (call.words.length === 0) return false;
    calls.push(call);
    call = { words: [], redirects: [] };
    return true;
  };
  for (const token of tokensIn(text.trim())) {
    if (token === undefined) return undefined;
    if (token.kind === "word") call.words.push(token.text);
    else if (token.kind === "redirect") call.redirects.push(token.text);
    else {
      if (!endCall()) return undefined;
      if (token.text === "|") continue;
      pipelines.push({ after, calls });
      after = token.text === "&&" || token.text === "||" ? token.text : ";";
      calls = [];
    }
  }
  if (!endCall()) return undefined;
  return [...pipelines, { after, calls }];
}

interface Token {
  readonly kind: "operator" | "redirect" | "word";
  readonly text: string;
}

/** Ends with undefined at the first thing that is not plain. */
function* tokensIn(text: string): Generator<Token | undefined> {
  let at = 0;
  let start = true;
  while (at < text.length) {
    if (text[at] === " " || text[at] === "\t") {
      at += 1;
      continue;
    }
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const [whole, operator, redirect, word] = found ?? [];
    if (whole === undefined || (word !== undefined && !isPlainWord(word, start))) return yield undefined;
    at += whole.length;
    start = operator !== undefined;
    if (operator !== undefined) yield { kind: "operator", text: operator };
    else if (redirect !== undefined) yield { kind: "redirect", text: redirect };
    else if (word !== undefined)
      yield { kind: "word", text: word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_all, single, double) => single ?? double) };
  }
}

/** No tilde at the start, no assignment, no reserved word in the place of a program. */
function isPlainWord(word: string, first: boolean): boolean {
  if (word.startsWith("~") || /[:=]~/.test(word)) return false;
  return (
    !first ||
    !/^(\w+\+?=|(if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|time|coproc|\{|\})$)/.test(word)
  );
}

/** The word as a shell takes it back without reading anything into it. */
export const quotePlain = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
