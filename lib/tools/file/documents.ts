import type { ToolContext } from "../core/define.js";
import { type Decoded, PLAIN_UTF8 } from "../run/codec.js";
import { openDocumentReader } from "./document-reader.js";
import { wordText, workbookText } from "./office.js";

/** Text of a file that is more than text, or undefined when its bytes are to be shown as they are. */
export async function documentText(
  path: string,
  ctx: ToolContext,
  read: () => Promise<Buffer>,
): Promise<Decoded | { error: string } | undefined> {
  switch (/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase()) {
    case "ipynb":
      return notebook(path, await read());
    case "docx":
      return extracted(path, "Word document", wordText(await read()));
    case "xlsx":
      return extracted(path, "workbook", workbookText(await read()));
    case "pdf":
      return readPdf(path, ctx, await read());
    default:
      return undefined;
  }
}

function extracted(path: string, what: string, text: string | undefined): Decoded | { error: string } {
  if (text === undefined) return { error: `${path} is no ${what} that can be read` };
  return {
    text,
    encoding: PLAIN_UTF8,
    warning: `text of a ${what}; its form is not shown, and it cannot be edited as text`,
  };
}

/** Its text is read in a thread: a PDF may take seconds. */
async function readPdf(path: string, ctx: ToolContext, bytes: Buffer): Promise<Decoded | { error: string }> {
  const reader = openDocumentReader(ctx.ports.clock);
  try {
    const read = await reader.read({ bytes, type: "application/pdf", url: "" }, ctx.signal);
    return read.ok
      ? extracted(path, "PDF", read.text)
      : { error: `cannot read ${path}: ${[read.why, read.hint].filter(Boolean).join("; ")}` };
  } finally {
    await reader.close();
  }
}

function notebook(path: string, bytes: Buffer): Decoded | { error: string } {
  try {
    const parsed: unknown = JSON.parse(bytes.toString("utf8"));
    const cells: unknown = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, "cells") : undefined;
    if (!Array.isArray(cells)) return { error: `${path} has no cells` };
    return {
      text: cells.map(cellText).join("\n\n"),
      encoding: PLAIN_UTF8,
      warning: "shown as text; edit the cells through their JSON",
    };
  } catch (error) {
    return { error: `${path} is not a notebook: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function cellText(cell: unknown, index: number): string {
  const field = (name: string): unknown =>
    typeof cell === "object" && cell !== null ? Reflect.get(cell, name) : undefined;
  return `# [cell ${index + 1}: ${String(field("cell_type"))}]\n${joined(field("source"))}${outputText(field("outputs"))}`;
}

const joined = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join("") : typeof value === "string" ? value : "";

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
