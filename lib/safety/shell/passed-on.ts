import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { isOneOf, readOptions } from "../options/read.js";
import { optionTable, sameAs } from "../options/tables.js";
import { decidesWhatRuns } from "./variables.js";

/** Calls and texts that a program makes of its own words. */
export interface PassedOn {
  /** Words of programs that it starts. */
  readonly calls: readonly (readonly Word[])[];
  /** What it gives to a shell or reads as a program of its own, for the question; undefined: nothing. */
  readonly code: string | undefined;
}

const NOTHING: PassedOn = { calls: [], code: undefined };

/** What compilers and build tools start with the words that they are given. */
export function passedOn(simple: Simple, program: string): PassedOn {
  if (program === "cc" || sameAs(program) === "cc")
    return { calls: ofCompiler(simple.words.slice(1)), code: undefined };
  return /^g?make$/.test(program) ? ofMake(simple) : NOTHING;
}

const word = (text: string, like: Word): Word => ({
  text,
  literal: like.literal,
  glob: false,
  quoted: true,
  inner: [],
});

/** Options of the linker, the assembler and the preprocessor that write or load; the others cannot do harm. */
const MATTERS =
  /^(-{1,2}(o|output|Map|plugin|dependency-file|out-implib|output-def|reproduce|a[a-z]*|MD|MMD|MF|soname|T|dT|R|just-symbols)(=|$)|-a[a-z]*=|-o.|-T.|@)/;

/** `-Wl,-Map,x`, `-Xlinker -Map=x`, `-Wa,-a=x`, `-Wp,-MD,x`. */
function ofCompiler(words: readonly Word[]): readonly (readonly Word[])[] {
  const passed: Record<"ld" | "as" | "cc", Word[]> = { ld: [], as: [], cc: [] };
  for (const [at, one] of words.entries()) {
    const [, letter = "", rest = ""] = /^-W([lap]),(.*)$/s.exec(one.text) ?? [];
    const to = letter === "l" ? "ld" : letter === "a" ? "as" : "cc";
    if (letter !== "") passed[to].push(...rest.split(",").map((text) => word(text, one)));
    const next = words[at + 1];
    if (next === undefined) continue;
    if (one.text === "-Xlinker") passed.ld.push(next);
    else if (one.text === "-Xassembler") passed.as.push(next);
    else if (one.text === "-Xpreprocessor") passed.cc.push(next);
  }
  // The preprocessor takes the file behind `-MD`, the compiler does not.
  const preprocessed = passed.cc.map((one) => (/^-M?MD$/.test(one.text) ? word("-MF", one) : one));
  return (Object.entries({ ...passed, cc: preprocessed }) as [string, Word[]][]) // entries of a literal have its keys and values
    .filter(([, list]) => list.some((one) => MATTERS.test(one.text)))
    .map(([name, list]) => [
      word(name, list[0] ?? word("", { text: "", literal: true, glob: false, quoted: true, inner: [] })),
      ...list,
    ]);
}

const ASSIGNS = /^([A-Za-z_.][\w.%-]*)\s*(!|\?|\+|:{1,3})?=(.*)$/s;
/** What a shell or make itself reads in a value. */
const EXPANDED = /[;|&`<>\n#(){}$]/;
const COMPILER_FLAGS = /FLAGS$|^(LDLIBS|LOADLIBES|LIBS|TARGET_ARCH|INCLUDES?|DEFS)$/;
const PROGRAMS =
  /^(AR|AS|CC|CXX|CPP|FC|LD|M2C|PC|CO|GET|LEX|YACC|LINT|MAKEINFO|TEX|TEXI2DVI|WEAVE|TANGLE|RM|CP|MV|INSTALL|INSTALL_\w+|MKDIR|LN|SED|AWK|GREP|PYTHON\d?|NODE|NPM|NPX|PERL|RUBY|GO|CARGO|DOCKER|JAVA|JAVAC|STRIP|RANLIB|NM|OBJCOPY|PKG_CONFIG|TAR|CURL|WGET|GIT|SUDO|SH|BASH|LAUNCHER|RUNNER|WRAPPER|\w+_(CMD|COMMAND|PROGRAM|BIN|TOOL|EXE|RUNNER|LAUNCHER))$/;

/** Values of variables stand in the command lines that make gives to a shell. */
function ofMake(simple: Simple): PassedOn {
  const { options, operands } = readOptions(simple.words.slice(1), optionTable("make"));
  if (options.some((option) => isOneOf(option, ["-e", "--environment-overrides"])))
    return { calls: [], code: "make takes what it runs from its environment" };
  const calls: (readonly Word[])[] = [];
  for (const one of [...simple.assignments, ...operands]) {
    const [, name = "", kind, value = ""] = ASSIGNS.exec(one.text) ?? [];
    if (name === "") continue;
    if (kind === "!" || EXPANDED.test(value) || value.includes(UNKNOWN))
      return { calls: [], code: `make runs what ${name} says` };
    if (/^(SHELL|\.SHELLFLAGS|MAKE|MAKEFILES|MAKEFLAGS|GNUMAKEFLAGS|\.\w+)$/.test(name))
      return { calls: [], code: `make runs what ${name} says` };
    const words = value.split(/\s+/).filter((text) => text !== "");
    const [first = ""] = words;
    const compiles = COMPILER_FLAGS.test(name) || /^-/.test(first);
    if (compiles) calls.push(["cc", ...words].map((text) => word(text, one)));
    else if (
      words.length > 0 &&
      (PROGRAMS.test(name) ||
        (words.length > 1 && !decidesWhatRuns(name) && /^[\w./-]+$/.test(first) && first.includes("/")))
    )
      calls.push(words.map((text) => word(text, one)));
  }
  return { calls, code: undefined };
}
