import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { makePdf } from "../../../fixtures/pages/web/pdf.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import readFile from "./read-file.js";

/** A zip archive as office programs write it: every member packed. */
function zip(members: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(members)) {
    const packed = deflateRawSync(text);
    const local = Buffer.alloc(30 + name.length);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt16LE(name.length, 26);
    local.write(name, 30);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    locals.push(local, packed);
    central.push(entry);
    offset += local.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

test("a Word document is shown as its paragraphs and tables", async (t) => {
  const { json, project } = bench(t);
  const cell = (text: string) => `<w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const xml = `<?xml version="1.0"?><w:document><w:body><w:p><w:pPr><w:b/></w:pPr><w:r><w:t xml:space="preserve">One &amp; </w:t></w:r><w:r><w:t>two&#228;</w:t><w:tab/><w:t>end</w:t></w:r></w:p><w:p/><w:tbl><w:tr>${cell("a")}${cell("b")}</w:tr></w:tbl></w:body></w:document>`;
  writeFileSync(join(project, "a.docx"), zip({ "word/document.xml": xml }));
  const result = await json(readFile, { path: "a.docx" });
  assert.equal(result["content"], "1|One & twoä\tend\n2|\n3|a\tb\t");
  assert.match(String(result["_warning"]), /cannot be edited/);
});

test("a workbook is shown sheet by sheet, with blank cells in their place", async (t) => {
  const { json, project } = bench(t);
  const sheet =
    '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1"><v>2.5</v></c></row><row r="2"><c r="B2" t="inlineStr"><is><t>in&lt;line</t></is></c></row></sheetData></worksheet>';
  const members = {
    "xl/workbook.xml": '<workbook><sheets><sheet name="Costs &amp; more" sheetId="1" r:id="rId7"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="rId7" Target="worksheets/first.xml"/></Relationships>',
    "xl/sharedStrings.xml": "<sst><si><t>zero</t></si><si><r><t>Na</t></r><r><t>me</t></r></si></sst>",
    "xl/worksheets/first.xml": sheet,
  };
  writeFileSync(join(project, "a.xlsx"), zip(members));
  assert.equal(
    (await json(readFile, { path: "a.xlsx" }))["content"],
    "1|# [sheet 1: Costs & more]\n2|Name\t\t2.5\n3|\tin<line",
  );
});

for (const name of ["a.docx", "a.xlsx"]) {
  test(`${name} that is none says so, wherever it is cut`, async (t) => {
    const { json, project } = bench(t);
    const whole = zip({ "word/document.xml": "<w:p>", "xl/workbook.xml": "<sheet>" });
    for (const bytes of [
      Buffer.from("hello"),
      Buffer.alloc(0),
      whole.subarray(10),
      whole.subarray(0, -30),
      Buffer.alloc(400, 0x50),
    ]) {
      writeFileSync(join(project, name), bytes);
      assert.match(
        String((await json(readFile, { path: name }))["error"]),
        /is no (Word document|workbook) that can be read/,
      );
    }
  });
}

test("a PDF is shown page by page without any program of the system", async (t) => {
  const { run, project, root, context } = bench(t);
  writeFileSync(join(project, "a.pdf"), makePdf([["of a.pdf", "Total (net) 4"], ["second page"]]));
  const env = { ...context.env, PATH: join(root, "none") };
  const found = JSON.parse((await run(readFile, { path: "a.pdf" }, { env })).text);
  assert.equal(found.content, "1|# [page 1]\n2|of a.pdf\n3|Total (net) 4\n4|\n5|# [page 2]\n6|second page");
  assert.match(found._warning, /cannot be edited/);
});

const UNREADABLE: readonly (readonly [what: string, bytes: Buffer, why: RegExp])[] = [
  ["broken", makePdf([["x"]]).subarray(0, 100), /a\.pdf: it is not a PDF that can be read: .*; get it again/],
  ["empty", Buffer.alloc(0), /not a PDF that can be read/],
  [
    "locked",
    makePdf([["x"]], { encrypted: true }),
    /the PDF needs a password; make a copy without one \(qpdf --decrypt/,
  ],
  ["scanned", makePdf([[]]), /holds pictures and no text.*ocrmypdf/],
];
for (const [what, bytes, why] of UNREADABLE)
  test(`a ${what} PDF says what to do`, async (t) => {
    const { json, project } = bench(t);
    writeFileSync(join(project, "a.pdf"), bytes);
    assert.match(String((await json(readFile, { path: "a.pdf" }))["error"]), why);
  });
