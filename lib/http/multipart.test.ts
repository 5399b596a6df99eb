import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm } from "./multipart.js";

const TYPE = "multipart/form-data; boundary=xyz";

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 7, type = TYPE, max = 10_000) {
  const parts: { name: string; filename: string | undefined; contentType: string | undefined; text: string }[] = [];
  for await (const { body, ...head } of readForm(cut(text, size), type, max)) {
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(piece);
    parts.push({ ...head, text: Buffer.concat(pieces).toString("utf8") });
  }
  return parts;
}

const part = (head: string, text: string) => `--xyz\r\n${head}\r\n\r\n${text}\r\n`;
const field = (name: string, text: string) => part(`Content-Disposition: form-data; name="${name}"`, text);

test("a form is read the same however it is cut into pieces", async () => {
  const tricky = "\r\n--xy\r\n--xyx\r\n-\r\n\r\n--";
  const form = `${field("a", "one")}${part('content-disposition: form-data; name="file"; filename="ü.txt"\r\nContent-Type: Text/Plain; charset=x', tricky)}${field("empty", "")}--xyz--\r\n`;
  const want = [
    { name: "a", filename: undefined, contentType: undefined, text: "one" },
    { name: "file", filename: "ü.txt", contentType: "text/plain", text: tricky },
    { name: "empty", filename: undefined, contentType: undefined, text: "" },
  ];
  for (const size of [1, 2, 3, 5, 8, 13, 1000]) assert.deepEqual(await read(form, size), want);
});

test("what stands before the first part and behind the last one does not count", async () => {
  const [only] = await read(`words\r\n${field("a", "one")}--xyz--words`);
  assert.equal(only?.text, "one");
  assert.deepEqual(await read("--xyz--"), []);
});

test("names with quotation marks come as they were meant, from browsers and from other programs", async () => {
  const named = async (head: string) =>
    (await read(`${part(`Content-Disposition: form-data; ${head}`, "")}--xyz--`))[0]?.filename;
  assert.equal(await named('name="f"; filename="a \\"b\\".txt"'), 'a "b".txt');
  assert.equal(await named('name="f"; filename="a %22b%22.txt"'), 'a "b".txt');
  assert.equal(await named("name=f; filename=plain.txt"), "plain.txt");
  assert.equal(await named('name="f"; filename=""'), "");
  assert.equal(await named('filename="x"; name="f"'), "x");
});

test("a part that no one reads is passed over", async () => {
  const names: string[] = [];
  for await (const { name } of readForm(
    cut(`${field("a", "x".repeat(500))}${field("b", "y")}--xyz--`, 50),
    TYPE,
    10_000,
  ))
    names.push(name);
  assert.deepEqual(names, ["a", "b"]);
});

const WRONG = [
  { name: "a form that ends in a part", text: `${field("a", "one")}--xyz\r\nContent-Dispo`, code: "E_INVALID" },
  {
    name: "a form that ends in a body",
    text: `--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc`,
    code: "E_INVALID",
  },
  { name: "no form at all", text: "", code: "E_INVALID" },
  { name: "a part without a name", text: `${part("Content-Type: text/plain", "x")}--xyz--`, code: "E_INVALID" },
  { name: "a boundary that is not named", text: "", type: "multipart/form-data", code: "E_INVALID" },
  {
    name: "a boundary that is too long",
    text: "",
    type: `multipart/form-data; boundary=${"x".repeat(71)}`,
    code: "E_INVALID",
  },
  { name: "a form over its bytes", text: `${field("a", "x".repeat(20_000))}--xyz--`, code: "E_TOO_LARGE" },
  { name: "a head that does not end", text: `--xyz\r\nx: ${"y".repeat(9000)}`, code: "E_TOO_LARGE" },
  { name: "too many parts", text: `${field("a", "").repeat(21)}--xyz--`, code: "E_TOO_LARGE" },
];

for (const { name, text, type, code } of WRONG)
  test(`${name} is refused`, async () => {
    await assert.rejects(read(text, 64, type), { code });
  });
