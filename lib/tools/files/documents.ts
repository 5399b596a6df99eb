import { type Decoded, PLAIN } from "./codec.js";

/** Text of a file that is more than text, or undefined when its bytes are to be shown as they are. */
export async function documentText(path: string, read: () => Promise<Buffer>): Promise<Decoded | { error: string } | undefined> {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === "ipynb") return notebook(path, await read());
  return undefined;
}

function notebook(path: string, bytes: Buffer): Decoded | { error: string } {
  try {
    const parsed: unknown = JSON.parse(bytes.toString("utf8"));
    const cells: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "cells") : undefined;
    if (!Array.isArray(cells)) return { error: `${path} has no cells` };
    return { text: cells.map(cellText).join("\n\n"), encoding: PLAIN, warning: "shown as text; edit the cells through their JSON" };
  } catch (error) {
    return { error: `${path} is not a notebook: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function cellText(cell: unknown, index: number): string {
  const field = (name: string): unknown => (typeof cell === "object" && cell !== null ? Reflect.get(cell, name) : undefined);
  return `# [cell ${index + 1}: ${String(field("cell_type"))}]\n${joined(field("source"))}${outputText(field("outputs"))}`;
}

const joined = (value: unknown): string => (Array.isArray(value) ? value.map(String).join("") : typeof value === "string" ? value : "");

function outputText(outputs: unknown): string {
  if (!Array.isArray(outputs)) return "";
  const texts = outputs.flatMap((output: unknown) => {
    if (typeof output !== "object" || output === null) return [];
    const rich: unknown = Reflect.get(output, "data");
    const plain: unknown = typeof rich === "object" && rich !== null ? Reflect.get(rich, "text/plain") : undefined;
    return [joined(Reflect.get(output, "text")) || joined(plain)].filter((text) => text !== "");
  });
  return texts.length === 0 ? "" : `\n# [output]\n${texts.join("\n")}`;
}
