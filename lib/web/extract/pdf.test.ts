import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeMappedPdf } from "../../../fixtures/pages/web/pdf.js";
import { pdfText } from "./pdf.js";

const map = (name: string, body: string): string =>
  `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /${name} def /WMode 0 def
1 begincodespacerange <0000> <FFFF> endcodespacerange ${body} endcmap end end`;

/** Two characters of two maps, in the form in which systems have them. */
function mapsFolder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), "pdf-maps-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "Adobe-GB1");
  mkdirSync(folder);
  writeFileSync(join(folder, "GBK-EUC-H"), map("GBK-EUC-H", "2 begincidchar <D6D0> 4559 <CEC4> 3795 endcidchar"));
  const words = "2 beginbfchar <11CF> <4E2D> <0ED3> <6587> endbfchar";
  writeFileSync(join(folder, "Adobe-GB1-UCS2"), map("Adobe-GB1-UCS2", words));
  return root;
}

test("a PDF whose fonts name their character map alone is read where the system has the map", async (t) => {
  const read = await pdfText(new Uint8Array(makeMappedPdf("GBK-EUC-H", "D6D0CEC4")), [mapsFolder(t)]);
  assert.deepEqual([read.ok, read.ok && read.text], [true, "# [page 1]\n中文"]);
});

test("without the map it is an error that names it and the package, not a scan; text in other fonts stays", async () => {
  const read = await pdfText(new Uint8Array(makeMappedPdf("GBK-EUC-H", "D6D0CEC4")), []);
  assert.ok(!read.ok);
  assert.match(read.why, /uses the character maps GBK-EUC-H, which are not installed/);
  assert.match(String(read.hint), /poppler-data/);
  const part = await pdfText(new Uint8Array(makeMappedPdf("GBK-EUC-H", "D6D0CEC4", "Report of May")), []);
  assert.ok(part.ok);
  assert.match(part.text, /Report of May[\s\S]*\[text is missing: .*GBK-EUC-H\]/);
});

test("a map is looked for by a plain name only", async (t) => {
  const read = await pdfText(new Uint8Array(makeMappedPdf("..#2F..#2Fetc#2Fpasswd", "D6D0")), [mapsFolder(t)]);
  assert.equal(read.ok, false);
});
