import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { describeApi } from "../http/openapi.js";
import { DASHBOARD_ENDPOINTS } from "./all-endpoints.js";

type Node = Readonly<Record<string, unknown>>;

/** Every key that an answer has had, one on a line. `ANSWERS=write` adds those that came since. */
const RECORD = join(process.cwd(), "fixtures/dashboard/answers.txt");

test("paths carry no version, and every key that an answer has had is still there", (t) => {
  proves(t, "versioning.decided");
  const document = describeApi(DASHBOARD_ENDPOINTS, { title: "test", version: "0", description: "" });
  const paths = Object.keys(document["paths"] as Node);
  assert.deepEqual(
    paths.filter((path) => /\/v\d/.test(path)),
    [],
  );
  const now = new Set(paths.flatMap((path) => keysOf(document, path)));
  const before = readFileSync(RECORD, "utf8").split("\n").filter(Boolean);
  assert.deepEqual(
    before.filter((line) => !now.has(line)),
    [],
    "what clients read is gone: give it another path and keep this one for a version",
  );
  if (process.env["ANSWERS"] === "write") writeFileSync(RECORD, `${[...now].toSorted().join("\n")}\n`);
});

function keysOf(document: Node, path: string): readonly string[] {
  const methods = (document["paths"] as Record<string, Node>)[path] ?? {}; // a document of OpenAPI has this form, and so below
  return Object.entries(methods).flatMap(([method, operation]) => {
    const answer = ((operation as Node)["responses"] as Record<string, Node>)["200"] ?? {};
    const content = (answer["content"] ?? {}) as Record<string, Node>;
    const schema = content["application/json"]?.["schema"] as Node | undefined;
    const keys = schema === undefined ? [] : [...new Set(below(document, schema, "", new Set()))];
    return [`${method.toUpperCase()} ${path}`, ...keys.map((key) => `${method.toUpperCase()} ${path} ${key}`)];
  });
}

/** Names of the properties of a schema and of what is in them. */
function below(document: Node, schema: Node, at: string, seen: ReadonlySet<string>): readonly string[] {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    if (seen.has(reference)) return [];
    const target = reference
      .split("/")
      .slice(1)
      .reduce<unknown>((node, name) => (node as Node)[name], document);
    return below(document, target as Node, at, new Set([...seen, reference]));
  }
  const own = Object.entries((schema["properties"] ?? {}) as Record<string, Node>).flatMap(([name, inner]) => [
    `${at}${name}`,
    ...below(document, inner, `${at}${name}.`, seen),
  ]);
  const parts = [schema["anyOf"], schema["oneOf"], schema["allOf"]].flatMap((list) => (list ?? []) as readonly Node[]);
  const items = typeof schema["items"] === "object" ? [schema["items"] as Node] : [];
  return [...own, ...[...parts, ...items].flatMap((part) => below(document, part, at, seen))];
}
