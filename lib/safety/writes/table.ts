import type { Word } from "../options/command-line.js";
import { sameAs } from "../options/tables.js";
import { ARCHIVERS } from "./archives.js";
import { BUILDERS } from "./builders.js";
import { FILE_TOOLS, type WritesRow } from "./files.js";
import { gitWrites } from "./git.js";
import type { Call } from "./operands.js";
import { dropWordStart, toTarget, type Writes, type WriteTarget } from "./target.js";

/** The one table of programs and what they write. */
const ROWS: Readonly<Record<string, WritesRow>> = { ...FILE_TOOLS, ...ARCHIVERS, ...BUILDERS, git: gitWrites };

function rowOf(program: string): WritesRow | undefined {
  const name = Object.hasOwn(ROWS, program) ? program : (sameAs(program) ?? "");
  return Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
}

/** Variables whose value is a place that programs write. */
const PLACES =
  /^(GOBIN|GOPATH|GOCACHE|GOMODCACHE|GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|GIT_COMMON_DIR|GIT_TRACE\w*|CARGO_TARGET_DIR|CARGO_INSTALL_ROOT|CARGO_HOME|DESTDIR|npm_config_(prefix|cache|userconfig)|NPM_CONFIG_(PREFIX|CACHE|USERCONFIG)|PIP_(TARGET|PREFIX|LOG|ROOT|CACHE_DIR)|PYTHONPYCACHEPREFIX|PYTHONUSERBASE|NODE_V8_COVERAGE|NODE_REDIRECT_WARNINGS|SSLKEYLOGFILE|HISTFILE|TMPDIR|UV_CACHE_DIR|COVERAGE_FILE|DOCKER_CONFIG|BASH_XTRACEFD)=(.*)$/s;

function assigned(call: Call): readonly WriteTarget[] {
  const exported = /^(export|declare|typeset|readonly|local)$/.test(call.program) ? call.simple.words.slice(1) : [];
  return [...call.simple.assignments, ...exported].flatMap((word) => {
    const value = PLACES.exec(word.text)?.at(-1);
    if (value === undefined || /^(|[012]|true|false|off)$/i.test(value)) return [];
    return [toTarget(dropWordStart(word, word.text.indexOf("=") + 1))];
  });
}

/** Options of programs that the table does not know, named like an output. */
const OUTPUT =
  /^--?[\w.-]*(?:out|log|dest|save|export|report|cache|dump|record|xml-file|coverage|basetemp|tmpdir|generate)[\w.-]*$/i;
/** Of these `-o` does not name an output. */
const O_IS_A_SWITCH =
  /^(ls|ll|dir|vdir|grep|egrep|fgrep|zgrep|rg|ag|ack|ps|pgrep|set|shopt|ssh|mount|find|lsof|netstat|ss|id|cut|od|nm|objdump|readelf|size|compgen|complete|column|unzip|test|\[|\[\[|env|xargs|top|apt|apt-get|dpkg|rpm)$/;

/** What a program that is not in the table probably writes: values of options that are named like an output. */
function guessOutputs(call: Call): readonly WriteTarget[] {
  const words = call.simple.words.slice(1);
  return words.flatMap((word, at) => {
    const equals = word.text.indexOf("=");
    const name = equals === -1 ? word.text : word.text.slice(0, equals);
    if (/^-o.*[/~]/.test(word.text) && !word.text.startsWith("-o=") && !OUTPUT.test(name))
      return [toTarget(dropWordStart(word, 2))];
    const isOutput = name === "-o" || name === "-O" ? !O_IS_A_SWITCH.test(call.program) : OUTPUT.test(name);
    if (!isOutput) return [];
    // `-o key=file` of some programs.
    const value = equals === -1 ? words[at + 1] : dropWordStart(word, equals + 1);
    if (value === undefined || value.text.startsWith("-")) return [];
    const inner = value.text.indexOf("=");
    return inner > 0 ? [toTarget(value), toTarget(dropWordStart(value, inner + 1))] : [toTarget(value)];
  });
}

/** What a call writes by redirections, by variables and by its program. */
export function writesOf(call: Call): Writes {
  const redirected = call.simple.redirects
    .filter((one) => one.op.includes(">") && !/^(\d+|-|\d+-)$/.test(one.target.text))
    .map((one) => toTarget(one.target));
  const row = rowOf(call.program);
  const { targets, unknown } = row === undefined ? { targets: guessOutputs(call), unknown: undefined } : row(call);
  const written = [...redirected, ...assigned(call), ...targets];
  return unknown === undefined ? { targets: written } : { targets: written, unknown };
}

/** Words that a call writes as values joined to their options (`--output=x`): no operand shows them. */
export function joinedTargets(call: Call): readonly Word[] {
  const joined = new Set(
    call.options.flatMap((option) => (option.joined && option.value !== undefined ? [option.value.text] : [])),
  );
  return writesOf(call).targets.flatMap(({ word }) => (joined.has(word.text) ? [word] : []));
}
