import type * as z from "zod";
import type { AnswerForm, Endpoint } from "./endpoint.js";
import { createSchemas, type Json, type Schemas } from "./json-schema.js";

/** Name, version and purpose of what is described. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** OpenAPI 3.1 of some endpoints, from the schemas that check their requests. Paths are relative to `server`, which is relative to where the description is. */
export function describeApi(endpoints: readonly Endpoint<never>[], info: ApiInfo, server = "../"): Json {
  const schemas = createSchemas({ Problem: PROBLEM });
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:([^/]+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, schemas) };
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: server }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "header", name: "X-Agent-Session-Token" },
      },
      schemas: schemas.shared,
    },
  };
}

/** Every error has this form; a 422 lists the wrong values. */
const PROBLEM: Json = {
  type: "object",
  required: ["detail"],
  properties: {
    detail: {
      anyOf: [
        { type: "string" },
        {
          type: "array",
          items: {
            type: "object",
            required: ["loc", "msg", "type"],
            properties: { loc: { type: "array" }, msg: { type: "string" }, type: { type: "string" } },
          },
        },
      ],
    },
    code: { type: "string" },
  },
};

/** Name of one operation: `post_api_tasks_id_comments`. */
const operationId = ({ method, path }: Endpoint<never>): string =>
  `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, "_")}`;

/** The guard, the router, wrong input, and what is broken of ours. */
const ALWAYS = [400, 403, 405, 422, 500, 503] as const;

/** Statuses that every endpoint of this form answers. */
const usual = ({ access, body, upload }: Endpoint<never>): readonly number[] => [
  ...ALWAYS,
  ...(access === "token" ? [401, 429] : []),
  ...(body === undefined && upload === undefined ? [] : [413, 415]),
];

function operation(endpoint: Endpoint<never>, schemas: Schemas): Json {
  const { summary, tag, access, answer, errors, success = 200 } = endpoint;
  const about = operationId(endpoint);
  const statuses = [...new Set([...usual(endpoint), ...errors])].toSorted((a, b) => a - b);
  return {
    operationId: about,
    summary,
    tags: [tag],
    security: access === "token" ? [{ token: [] }, { session: [] }] : [],
    parameters: [...pathParameters(endpoint, schemas), ...queryParameters(endpoint, schemas)],
    ...bodyOf(endpoint, schemas),
    responses: {
      [String(success)]: { description: "done", ...contentOf(answer, schemas, about) },
      ...Object.fromEntries(statuses.map((status) => [String(status), refusal(status)])),
    },
  };
}

const refusal = (status: number): Json =>
  status < 400
    ? { description: "nothing has changed" }
    : { description: "refused", content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } } };

function pathParameters(endpoint: Endpoint<never>, schemas: Schemas): readonly Json[] {
  const shapes: Readonly<Record<string, unknown>> = endpoint.params?.shape ?? {};
  return [...endpoint.path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => {
    const shape = shapes[name] as z.ZodType | undefined; // the shape of an object holds schemas
    const schema =
      shape === undefined ? { type: "string" } : schemas.of(shape, "input", `${operationId(endpoint)}_${name}`);
    return { name, in: "path", required: true, schema };
  });
}

function queryParameters(endpoint: Endpoint<never>, schemas: Schemas): readonly Json[] {
  const { query, ticket } = endpoint;
  const schema = query === undefined ? undefined : schemas.of(query, "input", `${operationId(endpoint)}_query`);
  const required = (schema?.["required"] ?? []) as readonly string[]; // JSON Schema says so
  const given = Object.entries((schema?.["properties"] ?? {}) as Record<string, Json>); // and so
  return [
    ...given.map(([name, shape]) => ({ name, in: "query", required: required.includes(name), schema: shape })),
    ...(ticket === undefined ? [] : [{ name: "ticket", in: "query", required: false, schema: { type: "string" } }]),
  ];
}

function bodyOf(endpoint: Endpoint<never>, schemas: Schemas): Json {
  const { body, upload } = endpoint;
  if (upload !== undefined) {
    const schema =
      upload.form === undefined
        ? { type: "object" }
        : schemas.of(upload.form, "input", `${operationId(endpoint)}_form`);
    return {
      requestBody: { required: true, content: Object.fromEntries(upload.types.map((type) => [type, { schema }])) },
    };
  }
  if (body === undefined) return {};
  const schema = schemas.of(body, "input", `${operationId(endpoint)}_body`);
  return { requestBody: { required: !body.safeParse({}).success, content: { "application/json": { schema } } } };
}

function contentOf(answer: AnswerForm, schemas: Schemas, about: string): Json {
  if (answer === "none") return {};
  if (answer === "file")
    return { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } };
  if (answer === "events") return { content: { "text/event-stream": { schema: { type: "string" } } } };
  return { content: { "application/json": { schema: schemas.of(answer, "output", `${about}_answer`) } } };
}
