import type { DocumentText } from "../../contracts/web/document.js";
import { plainText } from "../../safety/redact/text.js";
import { pdfMaps } from "./pdf-maps.js";

/** Pages that are read; a longer document says so at its end. */
const MOST_PAGES = 2_000;
/** Characters of one document. */
const MOST_CHARS = 8_000_000;
/** A gap wider than this part of a line's height stands between two columns. */
const COLUMN_GAP = 1.5;

const BROKEN = {
  ok: false,
  why: "it is not a PDF that can be read: it is damaged or incomplete",
  hint: "get it again, or try qpdf or mutool in the terminal",
} as const;
const LOCKED = {
  ok: false,
  why: "the PDF needs a password",
  hint: "make a copy without one (qpdf --decrypt --password=...) and read that",
} as const;
const SCANNED = {
  ok: false,
  why: "the PDF holds pictures and no text, as scanners make them",
  hint: "turn its pages into pictures (pdftoppm -png) and look at those, or run ocrmypdf, in the terminal",
} as const;

/** What pdf.js tells of a piece of text; other items mark structure. */
interface Piece {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly unknown[];
}

/** @param missing names of character maps */
const withoutMaps = (missing: ReadonlySet<string>): DocumentText => ({
  ok: false,
  why: `the text of the PDF uses the character maps ${[...missing].join(", ")}, which are not installed`,
  hint: "install the package poppler-data (apt-get install poppler-data), then read it again",
});

/**
 * Text of a PDF, page by page.
 *
 * @param roots directories of character maps; default: those of the system
 */
export async function pdfText(bytes: Uint8Array, roots?: readonly string[]): Promise<DocumentText> {
  const { getDocumentProxy } = await import("unpdf");
  const { factory, missing } = pdfMaps(roots);
  try {
    const pdf = await getDocumentProxy(bytes, {
      verbosity: 0,
      BinaryDataFactory: factory,
      useWorkerFetch: false,
      cMapPacked: false,
    });
    const pages: string[] = [];
    let chars = 0;
    let words = 0;
    for (let number = 1; number <= Math.min(pdf.numPages, MOST_PAGES) && chars < MOST_CHARS; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = plainText(joinPieces(items.flatMap((item) => ("str" in item ? [item] : [])))).trim();
      page.cleanup();
      words += text.length;
      const whole = `# [page ${number}]\n${text}`;
      chars += whole.length;
      pages.push(whole);
    }
    const { info } = await pdf.getMetadata();
    if (words === 0) return missing.size > 0 ? withoutMaps(missing) : SCANNED;
    if (missing.size > 0)
      pages.push(
        `[text is missing: it uses character maps of poppler-data, which are not installed: ${[...missing].join(", ")}]`,
      );
    if (pages.length < pdf.numPages) pages.push(`[${pdf.numPages - pages.length} more pages are not shown]`);
    return { ok: true, kind: "pdf", title: titleIn(info), text: pages.join("\n\n") };
  } catch (error) {
    return error instanceof Error && error.name === "PasswordException" ? LOCKED : BROKEN;
  }
}

function titleIn(info: object): string {
  const title: unknown = Reflect.get(info, "Title");
  return typeof title === "string" ? plainText(title).trim() : "";
}

/** Pieces in the order of the file; those of one line that stand far apart get the blanks of a column. */
function joinPieces(pieces: readonly Piece[]): string {
  let out = "";
  let end: { readonly x: number; readonly y: number } | undefined;
  for (const piece of pieces) {
    const x = Number(piece.transform[4]);
    const y = Number(piece.transform[5]);
    const height = piece.height || 10;
    if (end !== undefined && piece.str !== "" && !out.endsWith("\n")) {
      if (Math.abs(y - end.y) > height * 0.7) out += "\n";
      else if (x - end.x > height * COLUMN_GAP) out += "   ";
      else if (x - end.x > height * 0.15 && !/\s$/.test(out) && !/^\s/.test(piece.str)) out += " ";
    }
    out += piece.str;
    if (piece.hasEOL) out += "\n";
    if (piece.str !== "") end = { x: x + piece.width, y };
  }
  return out.replace(/[^\S\n]+$/gm, "");
}
