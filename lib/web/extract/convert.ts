import type { DocumentJob, DocumentText } from "../../contracts/web/document.js";
import { plainText } from "../../safety/redact/text.js";
import { decodePage } from "./charset.js";
import { htmlText, plainPage } from "./html-page.js";
import { kindOfBody } from "./kind.js";
import { pdfText } from "./pdf.js";
import { xmlText } from "./xml.js";

/** JSON that would grow beyond this is shown as it came. */
const PRETTY_CHARS = 4_000_000;
const ZERO_BYTES = "it is not text: it contains zero bytes";

/** Any document as readable text. Runs in the document thread: it may take long, and need much memory. */
export async function convertDocument({ bytes, type, url, plain = false }: DocumentJob): Promise<DocumentText> {
  const kind = kindOfBody(type, bytes);
  if (kind === "pdf") return await pdfText(bytes);
  if (kind === "binary") return { ok: false, ...binaryWhy(type) };
  const source = decodePage(bytes, type);
  if (kind === "html")
    return plain ? plainPage(source.replaceAll("\0", "")) : await htmlText(source.replaceAll("\0", ""), url);
  if (source.includes("\0")) return { ok: false, why: ZERO_BYTES };
  if (kind === "json") return { ok: true, kind, title: "", text: plainText(pretty(source)) };
  if (kind === "xml" && !plain) {
    const read = await xmlText(source);
    return read.ok ? { ...read, text: plainText(read.text) } : read;
  }
  return { ok: true, kind: "text", title: "", text: plainText(source) };
}

function pretty(source: string): string {
  if (source.length > PRETTY_CHARS) return source;
  try {
    const text = JSON.stringify(JSON.parse(source), null, 2);
    return text.length > PRETTY_CHARS ? source : text;
  } catch {
    return source; // no JSON after all: as it came
  }
}

function binaryWhy(type: string): { readonly why: string; readonly hint: string } {
  const plain = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const hint = plain.startsWith("image/")
    ? "vision_analyze looks at pictures by their URL"
    : "download it in the terminal (curl -LO) and look at the file";
  return { why: plain === "" ? ZERO_BYTES : `it is ${plain}, not text`, hint };
}
