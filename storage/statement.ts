import { AppError } from "../lib/base/errors.js";

/** What an engine must know of a statement before it runs it. */
export interface Statement {
  readonly kind: "read" | "write" | "other";
  /** Number of `?`. */
  readonly params: number;
  readonly returning: boolean;
  /** It speaks of `events`: what the newest of them is may be another behind it. */
  readonly ofEvents: boolean;
  /** Why it must not run in a transaction, or undefined. */
  readonly problem: string | undefined;
}

/** SQL that gives another answer at another time; a journal of statements could not be replayed. */
const FORBIDDEN_CALLS = new Set([
  "random",
  "randomblob",
  "last_insert_rowid",
  "changes",
  "total_changes",
  "date",
  "time",
  "datetime",
  "julianday",
  "unixepoch",
  "strftime",
  "timediff",
]);
const FORBIDDEN_WORDS = new Set(["current_timestamp", "current_date", "current_time"]);
const WRITES = new Set(["insert", "update", "delete"]);
const READS = new Set(["select", "with"]);

const known = new Map<string, Statement>();
const KNOWN_MAX = 2_000;

/** Read the first word, the placeholders and the traps of a statement. Remembered per text. */
export function inspect(sql: string): Statement {
  const seen = known.get(sql);
  if (seen) return seen;
  if (known.size >= KNOWN_MAX) known.clear();
  const found = judge(tokenize(sql), /events/i.test(sql));
  known.set(sql, found);
  return found;
}

/** @throws E_INVALID when the statement may not run in a transaction, or not with this method */
export function mustBe(sql: string, allowed: "read" | "any" | "write"): Statement {
  const statement = inspect(sql);
  const problem = statement.problem ?? misplaced(statement, allowed);
  if (problem !== undefined) throw new AppError("E_INVALID", `${problem}: ${sql.slice(0, 200)}`);
  return statement;
}

function misplaced(statement: Statement, allowed: "read" | "any" | "write"): string | undefined {
  if (statement.kind === "other") return "a transaction takes SELECT, WITH, INSERT, UPDATE and DELETE";
  if (allowed === "read" && statement.kind !== "read") return "a read must not change anything";
  if (allowed === "write" && statement.kind !== "write") return "run takes INSERT, UPDATE and DELETE";
  if (allowed === "write" && statement.returning) return "a statement with RETURNING goes through all or get";
  return undefined;
}

interface Token {
  readonly text: string;
  readonly depth: number;
  readonly word: boolean;
}

function judge(tokens: readonly Token[], ofEvents: boolean): Statement {
  const first = tokens[0]?.text ?? "";
  const top = new Set(tokens.filter((token) => token.word && token.depth === 0).map((token) => token.text));
  const kind = READS.has(first) ? "read" : WRITES.has(first) ? "write" : "other";
  return {
    kind,
    params: tokens.filter((token) => token.text === "?").length,
    returning: top.has("returning"),
    ofEvents,
    problem: problemOf(tokens, top, kind),
  };
}

function problemOf(tokens: readonly Token[], top: ReadonlySet<string>, kind: Statement["kind"]): string | undefined {
  const end = tokens.findIndex((token) => token.text === ";");
  if (end >= 0 && end < tokens.length - 1) return "one statement at a time";
  if (kind === "read" && ["insert", "update", "delete", "replace"].some((verb) => top.has(verb))) {
    return "a write begins with INSERT, UPDATE or DELETE";
  }
  if (kind === "write" && top.has("limit") && !top.has("order")) return "a LIMIT in a write needs an ORDER BY";
  const bad = tokens.find((token, at) => isForbidden(token, tokens[at + 1]?.text));
  return bad && `"${bad.text}" gives no lasting answer, bind the value`;
}

function isForbidden(token: Token, next: string | undefined): boolean {
  if (token.text.startsWith("?") && token.text.length > 1) return true;
  if (":@$".includes(token.text[0] ?? " ")) return true;
  if (!token.word) return false;
  return FORBIDDEN_WORDS.has(token.text) || (FORBIDDEN_CALLS.has(token.text) && next === "(");
}

/** What says nothing, a word, or anything else: one look for each of them, for a short command reads statements of a thousand tokens. */
const NOTHING = String.raw`(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\`(?:[^\`]|\`\`)*\`|\[[^\]]*\])+`;
const WORD = "([A-Za-z_][A-Za-z0-9_$]*)";
const OTHER = String.raw`(\?\d*|[:@$][A-Za-z0-9_]+|[\s\S])`;
const TOKEN = new RegExp(`${NOTHING}|${WORD}|${OTHER}`, "g");

function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (const [, word, other] of sql.matchAll(TOKEN)) {
    const text = word ?? other;
    if (text === undefined) continue;
    if (text === ")") depth -= 1;
    tokens.push({ text: text.toLowerCase(), depth, word: word !== undefined });
    if (text === "(") depth += 1;
  }
  return tokens;
}
