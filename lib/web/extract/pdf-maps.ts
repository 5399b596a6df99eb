import { join } from "node:path";
import { listNames } from "../../base/fs/directory.js";
import { readAtMost } from "../../base/fs/files.js";

/** Where systems have the character maps of Adobe: `poppler-data` of Debian, and that of Homebrew. */
const MAP_ROOTS = ["/usr/share/poppler/cMap", "/opt/homebrew/share/poppler/cMap", "/usr/local/share/poppler/cMap"];
/** The largest one has about 1 MB. */
const MOST_BYTES = 8 << 20;

/**
 * Character maps for fonts whose file says only which one they use, as many Chinese, Japanese and Korean ones do. A map lies in a directory named
 * after its collection (`Adobe-GB1/GBK-EUC-H`).
 */
export interface PdfMaps {
  /** What pdf.js makes its reader of. */
  readonly factory: new () => object;
  /** Maps that it wanted and that are not here. */
  readonly missing: ReadonlySet<string>;
}

/** @param roots default: where systems have them */
export function pdfMaps(roots: readonly string[] = MAP_ROOTS): PdfMaps {
  const missing = new Set<string>();
  const factory = class {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
      const found = kind === "cMapUrl" ? await readMap(roots, filename) : undefined;
      if (found !== undefined) return found;
      if (kind === "cMapUrl") missing.add(filename);
      throw new Error(`${filename} is not here`);
    }
  };
  return { factory, missing };
}

async function readMap(roots: readonly string[], name: string): Promise<Uint8Array | undefined> {
  if (!/^[\w-]{1,80}$/.test(name)) return undefined; // a name that a document gives
  for (const root of roots)
    for (const collection of listNames(root)) {
      const bytes = await readAtMost(join(root, collection, name), MOST_BYTES);
      if (bytes !== undefined) return new Uint8Array(bytes);
    }
  return undefined;
}
