import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";
import { DASHBOARD_ENDPOINTS } from "./all-endpoints.js";

type Node = Readonly<Record<string, unknown>>;

test("the description is OpenAPI 3.1: every operation is there, every part of a path is declared, every reference leads somewhere", async (t) => {
  const { ask, askPlain } = await dashboardWorld(t);
  assert.equal((await askPlain("GET", "/api/openapi.json")).status, 401);
  const { text } = await ask("GET", "/api/openapi.json");
  const document: Node = JSON.parse(text);
  assert.match(String(document["openapi"]), /^3\.1\./);
  const { title, version } = document["info"] as Node;
  assert.ok(title && version);
  const operations = operationsOf(document);
  assert.equal(operations.length, DASHBOARD_ENDPOINTS.length);
  assert.equal(new Set(operations.map(({ operation }) => operation["operationId"])).size, operations.length);
  for (const { path, operation } of operations) {
    const parameters = operation["parameters"] as readonly Node[];
    const declared = parameters.filter((one) => one["in"] === "path").map((one) => one["name"]);
    assert.deepEqual(
      declared,
      [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name),
      path,
    );
    for (const one of parameters)
      assert.ok(typeof one["schema"] === "object" && (one["in"] !== "path" || one["required"] === true), path);
    for (const [status, answer] of Object.entries(operation["responses"] as Node)) {
      assert.match(status, /^[1-5]\d\d$/);
      assert.equal(typeof (answer as Node)["description"], "string");
    }
  }
  const references = referencesIn(document);
  assert.ok(references.length > 0);
  for (const reference of references) assert.ok(resolves(document, reference), reference);
});

test("a generated client has a Task, a Session and a Message: answers refer to schemas with names of their own", async (t) => {
  const { ask } = await dashboardWorld(t);
  const document: Node = JSON.parse((await ask("GET", "/api/openapi.json")).text);
  const schemas = (document["components"] as Node)["schemas"] as Node;
  for (const name of [
    "Task",
    "Card",
    "Run",
    "Comment",
    "ListedBoard",
    "BoardView",
    "Diagnostic",
    "Session",
    "ListedSession",
    "Message",
    "ToolCall",
  ])
    assert.ok(name in schemas, name);
  const answerOf = (path: string) =>
    JSON.stringify(operationsOf(document).find((one) => one.path === path)?.operation["responses"]);
  assert.match(
    answerOf("/api/plugins/kanban/tasks/{id}"),
    /"task":\{"\$ref":"#\/components\/schemas\/Task"\}|schemas\/Card"/,
  );
  assert.match(answerOf("/api/sessions"), /"items":\{"\$ref":"#\/components\/schemas\/ListedSession"\}/);
  assert.doesNotMatch(JSON.stringify(schemas["Task"]), /"additionalProperties":false/, "answers may gain members");
  assert.ok(
    Object.keys(schemas).every((name) => !/__schema|_2$/.test(name)),
    Object.keys(schemas).join(" "),
  );
});

function operationsOf(document: Node): readonly { readonly path: string; readonly operation: Node }[] {
  return Object.entries(document["paths"] as Node).flatMap(([path, methods]) =>
    Object.values(methods as Node).map((operation) => ({ path, operation: operation as Node })),
  );
}

function referencesIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}

function resolves(document: Node, reference: string): boolean {
  const names = reference
    .replace(/^#\//, "")
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = names.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    document,
  );
  return reference.startsWith("#/") && target !== undefined;
}
