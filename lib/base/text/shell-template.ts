/** How a place of a command line is quoted. */
type Quoting = "bare" | "single" | "double";

const PLACEHOLDER = /\{([a-z_]+)\}/y;

/**
 * A command line of the user with its placeholders `{name}` replaced, each value quoted for the place where it stands, so that it stays one word
 * and nothing in it is run. Names that are not in `values` stay as they are.
 *
 * @throws Error for a placeholder inside backticks or a here-document, where quoting is not certain
 */
export function fillShellTemplate(template: string, values: Readonly<Record<string, string>>): string {
  // Each `$(` begins a command line with quotes of its own.
  const stack: Quoting[] = ["bare"];
  let filled = "";
  for (let at = 0; at < template.length; ) {
    const quoting = stack.at(-1) ?? "bare";
    const char = template[at] ?? "";
    const value = valueAt(template, at, values);
    if (value !== undefined) {
      if (/`|<<(?!<)/.test(template)) throw new Error("placeholders cannot be used with backticks or here-documents");
      filled += quoted(value.text, quoting);
      at += value.length;
    } else if (char === "\\" && quoting !== "single") {
      filled += template.slice(at, at + 2);
      at += 2;
    } else {
      const opens = quoting !== "single" && template.startsWith("$(", at);
      step(stack, quoting, opens ? "$(" : char);
      filled += opens ? "$(" : char;
      at += opens ? 2 : 1;
    }
  }
  return filled;
}

function valueAt(template: string, at: number, values: Readonly<Record<string, string>>) {
  PLACEHOLDER.lastIndex = at;
  const found = PLACEHOLDER.exec(template);
  const [whole = "", name = ""] = found ?? [];
  // `${name}` is a variable of the shell.
  if (found === null || template[at - 1] === "$" || !Object.hasOwn(values, name)) return undefined;
  return { text: values[name] ?? "", length: whole.length };
}

function step(stack: Quoting[], quoting: Quoting, token: string): void {
  if (token === "$(") stack.push("bare");
  else if (token === "'" && quoting !== "double") stack[stack.length - 1] = quoting === "single" ? "bare" : "single";
  else if (token === '"' && quoting !== "single") stack[stack.length - 1] = quoting === "double" ? "bare" : "double";
  else if (token === ")" && quoting === "bare" && stack.length > 1) stack.pop();
}

function quoted(value: string, quoting: Quoting): string {
  const plain = value.replaceAll("\0", "");
  const inSingle = plain.replaceAll("'", "'\\''");
  if (quoting === "bare") return `'${inSingle}'`;
  return quoting === "single" ? inSingle : plain.replace(/[\\"$`]/g, "\\$&");
}
