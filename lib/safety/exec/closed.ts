import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { matchSegment } from "../paths/glob.js";
import { isClosed, isWithin, listHomeDirs, realTarget } from "../paths/paths.js";
import { renderSimpleCommand } from "../shell/open.js";
import { type Call, type ExecScope, hasFlag, optionValues } from "../writes/operands.js";

/** Pieces of one command that are looked at; more than any that is written by hand. */
const PIECES_AT_MOST = 2_000;

/**
 * Why a command is not run for a user who is not the master of the home: it names a place of it that is closed to him, or a directory that it
 * goes through as a whole with such a place below. What a program opens by itself cannot be seen here.
 */
export function explainClosedPlace(calls: readonly Call[], command: string, scope: ExecScope): string | undefined {
  if (scope.view === undefined) return undefined;
  const widened = WIDENED.exec(command)?.[0];
  if (widened !== undefined) return refusal(`${widened} makes names of files mean something else`);
  const known = listHomeDirs(scope);
  const homes = known.filter((one) => !known.some((other) => other !== one && isWithin(one, other)));
  let left = PIECES_AT_MOST;
  for (const call of calls) {
    if (isAgent(call)) return refusal("commands of the agent are for its owner");
    const place: Place = { cwd: call.simple.cwd, homes, scope, whole: goesThrough(call) };
    const { cwd } = place;
    if (cwd !== undefined && isClosed(realTarget(cwd) ?? cwd, scope)) return refusal(`it works in ${cwd}`);
    for (const piece of piecesOf(call, cwd)) {
      if (left-- <= 0) return refusal("it names more than can be looked at");
      if (leadsIn(piece, place))
        return refusal(`'${renderSimpleCommand(call.simple)}' may reach what belongs to the agent`);
    }
  }
  return undefined;
}

const refusal = (why: string): string => `BLOCKED: ${why}; files of the agent are for its owner's conversations`;

/** What lets patterns and relative names lead where they do not seem to. */
const WIDENED = /\b(AGENT_HOME(?=\s*=)|CDPATH|GLOBIGNORE|dotglob)\b/;

const isAgent = (call: Call): boolean =>
  /^agent(\.[cm]?js)?$/.test(call.program) ||
  (/^(node|bun|deno)$/.test(call.program) &&
    call.operands.some((word) => /^agent\.[cm]?js$/.test(basename(word.text))));

interface Place {
  readonly cwd: string | undefined;
  readonly homes: readonly string[];
  readonly scope: ExecScope;
  /** The program takes what lies below the directories that it is given. */
  readonly whole: boolean;
}

interface Piece {
  readonly text: string;
  /** The shell takes it as a pattern. */
  readonly glob: boolean;
}

/** Every text of a call that could be a path: its words, what they join to paths, and what is fed to it. */
function* piecesOf({ simple, program, operands }: Call, cwd: string | undefined): Generator<Piece> {
  const bodies = simple.redirects.flatMap((one) => (one.body === undefined ? [one.target] : [one.body]));
  for (const word of [...simple.words, ...simple.assignments, ...bodies]) yield* piecesIn(word);
  const named =
    cwd !== undefined && operands.some(({ text }) => !text.includes(UNKNOWN) && existsSync(resolve(cwd, text)));
  if (HERE.test(program) && !named) yield { text: ".", glob: false };
}

function* piecesIn(word: Word): Generator<Piece> {
  yield { text: word.text, glob: word.glob };
  const pieces = word.text.split(/[\s'"`;|&()<>,=:@\\]+/);
  if (pieces.length > 1) for (const text of pieces) if (text !== "") yield { text, glob: word.glob };
  const joined = word.text.startsWith("-") ? word.text.search(/[/~]/) : -1;
  if (joined > 0) yield { text: word.text.slice(joined), glob: word.glob };
}

/** Programs that take the present directory where none is named. */
const HERE = /^([ef]?grep|rgrep|rg|ag|ack|find|fd|tree|ls|git)$/;

const ALWAYS_WHOLE = /^(rgrep|tar|bsdtar|7z|zip|rsync|mv|ln|mount|cpio|pax|rm|docker|podman|http\.server)$/;
const WHOLE_BY_FLAG = /^([ef]?grep|zgrep|cp|scp|diff|chmod|chown|chgrp)$/;

function goesThrough(call: Call): boolean {
  const { program, words } = call;
  if (ALWAYS_WHOLE.test(program)) return true;
  if (WHOLE_BY_FLAG.test(program)) {
    const recurses = optionValues(call, "-d", "--directories").some((word) => "recurse".startsWith(word.text));
    return recurses || hasFlag(call, "-r", "-R", "-a", "--recursive", "--archive", "--dereference-recursive");
  }
  if (program === "find")
    return !words.some((word, index) => word === "-maxdepth" && /^[01]$/.test(words[index + 1] ?? ""));
  if (program === "ls" || program === "tree")
    return (
      hasFlag(call, "-a", "-A", "--all", "--almost-all") && (program === "tree" || hasFlag(call, "-R", "--recursive"))
    );
  if (/^(rg|ag|ack|fd|fdfind)$/.test(program))
    return hasFlag(call, "--hidden", "--unrestricted", "--no-ignore", "-u", "-.", "-H");
  return program === "git" && hasFlag(call, "--no-index");
}

/** Its directories, and what another one was started with. */
const VIEW_OF_PROCESS =
  /^\/+proc\/+([^/]+\/+(task\/+[^/]+\/+)?(cwd|root|fd|map_files)(\/|$)|(?!self|thread-self)[^/]+\/+environ$)/;

function leadsIn({ text: given, glob }: Piece, place: Place): boolean {
  const text = expanded(given, place.scope.userHome, place.cwd);
  if (VIEW_OF_PROCESS.test(text)) return true;
  const { cwd } = place;
  const floats = text.startsWith(UNKNOWN) || text.startsWith("~") || (cwd === undefined && !text.startsWith("/"));
  if (floats) return text.includes("/") || cwd === undefined ? holdsName(text, place) : false;
  const path = resolve(cwd ?? "/", text);
  if (text.includes(UNKNOWN) || (glob && /[*?[]/.test(text))) return patternLeadsIn(path, place);
  // `..` behind a link leads elsewhere than its letters say.
  const raw = text.startsWith("/") ? text : `${cwd}/${text}`;
  return [path, raw].some((one) => {
    const real = realTarget(one);
    return (
      real !== undefined &&
      (isClosed(real, place.scope) || (place.whole && place.homes.some((home) => isWithin(home, real))))
    );
  });
}

/** As a program may expand it, which gets it quoted. `{}` stands for what a program fills in. */
function expanded(text: string, userHome: string, cwd: string | undefined): string {
  const filled = text.replaceAll("{}", UNKNOWN);
  const [, name, rest = ""] = /^(~[^/]*|\$HOME|\$\{HOME\})(\/.*)?$/s.exec(filled) ?? [];
  if (name === undefined) return filled;
  if (name === "~+") return (cwd ?? UNKNOWN) + rest;
  const own = name === "~" || name.startsWith("$") || name.slice(1) === basename(userHome);
  return own ? userHome + rest : name === "~-" ? UNKNOWN + rest : filled;
}

/** A path with an unknown beginning has the name of a home in it. */
const holdsName = (text: string, { homes }: Place): boolean =>
  text.split("/").some((segment) => homes.some((home) => /[^*?\0]/.test(segment) && couldBe(segment, basename(home))));

/** One segment of a pattern can mean a name. As in a shell, a pattern finds hidden names only where it begins with a dot. */
function couldBe(segment: string, name: string): boolean {
  if (name.startsWith(".") && !segment.startsWith(".") && !segment.startsWith(UNKNOWN)) return false;
  return matchSegment(segment.replaceAll(UNKNOWN, "*").toLowerCase(), name.toLowerCase());
}

function patternLeadsIn(path: string, { homes, scope, whole }: Place): boolean {
  const segments = path.split("/");
  const first = segments.findIndex((segment) => /[*?[]/.test(segment) || segment.includes(UNKNOWN));
  const plain = segments.slice(0, first).join("/") || "/";
  const real = realTarget(plain) ?? plain;
  if (homes.some((home) => isWithin(real, home))) return isClosed(real, scope);
  const pattern = [...(real === "/" ? [""] : real.split("/")), ...segments.slice(first)];
  return homes.some((home) => {
    const names = home.split("/");
    const shared = Math.min(names.length, pattern.length);
    if (!pattern.slice(0, shared).every((segment, index) => couldBe(segment, names[index] ?? ""))) return false;
    // What is filled in where the path ends may be anything; it is taken for a name among others.
    if (pattern.length <= names.length && pattern.some((segment) => segment.includes(UNKNOWN))) return false;
    return pattern.length >= names.length || whole;
  });
}
