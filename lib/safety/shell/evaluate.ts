import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { baseName } from "../options/programs.js";

/** Arithmetic that names no variable: numbers, operators, and parameters that hold nothing but numbers. */
const PLAIN_ARITHMETIC = /^(?:[\s+*/%()?:,=!~^|&<>-]|0x[0-9a-fA-F]+|\d+|\$[#?$!]|\$\{#\w+\})*$/;

/** An expression can run commands: a name or a subscript in it is evaluated, and so is what the value of that name says. */
export const evaluatesNames = (expression: string): boolean => !PLAIN_ARITHMETIC.test(expression);

/**
 * Why an expansion `${...}` runs what a value says; undefined when it only takes, cuts or replaces text. `body` is what stands between the braces.
 */
export function evaluatingExpansion(body: string): string | undefined {
  if (body.startsWith("!")) return "an indirect expansion evaluates the value of a variable";
  const name = /^#?(?:[A-Za-z_]\w*|[@*#?$!-]|\d+)/.exec(body)?.[0];
  if (name === undefined) return body === "" ? undefined : "an expansion of an unusual form";
  let rest = body.slice(name.length);
  if (rest.startsWith("[")) {
    const subscript = /^\[(?:[@*]|-?\d+)\]/.exec(rest)?.[0];
    if (subscript === undefined) return "a subscript is evaluated";
    rest = rest.slice(subscript.length);
  }
  if (rest === "" || /^:?[-+?]/.test(rest) || /^(?:##?|%%?|\/|\^|,|~)/.test(rest)) return undefined;
  if (/^:?=/.test(rest)) return "an expansion sets a variable";
  // `${x@P}` expands the value as a prompt; the other letters only quote, but none of them is needed by what only reads.
  if (rest.startsWith("@")) return "an expansion transforms the value of a variable";
  return rest.startsWith(":") && /^:\s*-?\d+\s*(?::\s*-?\d+\s*)?$/.test(rest)
    ? undefined
    : "a position in a text is evaluated";
}

const NUMBER_COMPARED = /^-(eq|ne|lt|le|gt|ge)$/;
const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/;
const BINARY = /^(=|==|!=|<|>|=~|-(ef|nt|ot|eq|ne|lt|le|gt|ge))$/;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** Why a builtin of the shell runs what its words or variables say; undefined when it takes them as text. */
export function evaluatingWords(simple: Simple): string | undefined {
  const [program, ...words] = simple.words;
  switch (program?.text) {
    case "test":
    case "[":
      return evaluatingTest(words);
    case "[[":
      return evaluatingCondition(words);
    case "printf":
      return evaluatingFormat(words);
    case "let":
      return "let evaluates expressions";
    case "declare":
    case "typeset":
    case "local":
    case "export":
    case "readonly":
      return words.some((word) => /^[-+]\w*[ainA]/.test(word.text) || /^[^=]*\[/.test(word.text))
        ? `${program.text} evaluates a value`
        : undefined;
    case "read":
    case "mapfile":
    case "readarray":
    case "unset":
    case "wait":
    case "getopts":
      return words.some((word) => word.text.includes("[") || !word.literal)
        ? `${program.text} evaluates a subscript`
        : undefined;
    default:
      return undefined;
  }
}

/** `test` evaluates the subscript of `-v` and `-R`; an unknown word may be such an option. */
function evaluatingTest(words: readonly Word[]): string | undefined {
  const given = words.at(-1)?.text === "]" ? words.slice(0, -1) : words;
  const asks = given.some(
    ({ text }, at) =>
      /^-[vR]$/.test(text) && !(given[at + 1]?.literal === true && IDENTIFIER.test(given[at + 1]?.text ?? "")),
  );
  if (asks) return "test evaluates a subscript";
  if (given.some((word) => word.splits)) return "a word of test may be an option";
  const unknown = given.flatMap((word, at) => (word.text.startsWith(UNKNOWN) ? [at] : []));
  if (unknown.length === 0) return undefined;
  // With one operator in its place, what stands beside it is text.
  const texts = given.map((word) => word.text);
  const plain = texts[0] === "!" ? given.slice(1) : given;
  const simple =
    plain.length === 1 ||
    (plain.length === 2 && plain[0]?.literal === true && UNARY.test(plain[0].text)) ||
    (plain.length === 3 && plain[1]?.literal === true && BINARY.test(plain[1].text));
  return simple ? undefined : "a word of test may be an option";
}

/** `[[ ]]` evaluates both sides of a comparison of numbers, and the subscript of `-v`. */
function evaluatingCondition(words: readonly Word[]): string | undefined {
  for (const [at, { text, quoted }] of words.entries()) {
    if (quoted) continue;
    const after = words[at + 1];
    if (/^-[vR]$/.test(text) && !(after?.literal === true && IDENTIFIER.test(after.text)))
      return "a condition evaluates a subscript";
    if (!NUMBER_COMPARED.test(text)) continue;
    const sides = [words[at - 1], after];
    if (!sides.every((side) => side?.literal === true && /^-?\d+$/.test(side.text)))
      return "a condition evaluates its operands";
  }
  return undefined;
}

/** `printf -v` and `%n` store into a variable, whose subscript is evaluated. */
function evaluatingFormat(words: readonly Word[]): string | undefined {
  const [format] = words[0]?.text === "--" ? words.slice(1) : words;
  if (format === undefined) return undefined;
  if (!format.literal || format.splits)
    return format.text.startsWith(UNKNOWN) || format.splits ? "the format of printf is not known" : stores(format.text);
  if (/^-v/.test(format.text)) return "printf stores into a variable";
  return stores(format.text);
}

const stores = (format: string): string | undefined =>
  /%[-+ #0-9.*'hlLjzt]*n/.test(format) || format.includes(UNKNOWN) ? "printf stores into a variable" : undefined;

/** Texts among the words of a builtin that the shell runs as commands, at once or later. */
export function scriptsIn(simple: Simple): readonly Word[] {
  const [first, ...words] = simple.words;
  const behind = (option: RegExp) =>
    words
      .flatMap((word, at) => (option.test(word.text) ? [joinedOr(word, words[at + 1])] : []))
      .flatMap((word) => word ?? []);
  switch (baseName(first?.text ?? "")) {
    case "mapfile":
    case "readarray":
      return behind(/^-\w*C/);
    case "compgen":
    case "complete":
    case "compopt":
      return behind(/^-\w*[CFW]/);
    case "bind":
      return behind(/^-\w*x/).flatMap((word) => [
        { ...word, text: word.text.replace(/^[^:]*:\s*["']?/, "").replace(/["']$/, "") },
      ]);
    default:
      return [];
  }
}

/** `-Ccmd` or `-C cmd`. */
const joinedOr = (word: Word, next: Word | undefined): Word | undefined => {
  const joined = word.text.replace(/^-\w*?[CFWx]/, "");
  return joined === "" ? next : { ...word, text: joined };
};

/** Variables whose value the shell runs, or expands as a prompt. */
export const PROMPT_VARIABLE = /^(PROMPT_COMMAND|PS[0-4])\+?=(.*)$/s;

/** A text holds a substitution that would run when the text is evaluated. */
export const hidesCommand = (text: string): boolean => /\$\(|`|\$\{/.test(text);

/** Names of loops that only hold values: `for PATH in ...` changes what later commands mean. */
export const isLoopName = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) &&
  !/^(path|cdpath|fpath|manpath|histchars|module_path|fignore|mailpath|prompt|psvar|status|argv|_)$/.test(name);
