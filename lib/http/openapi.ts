import * as z from "zod";
import type { AnswerForm, Endpoint } from "./endpoint.js";

/** Name, version and base path of what is described. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1 of some endpoints, from the schemas that check their requests. */
export function describeApi(endpoints: readonly Endpoint<never>[], info: ApiInfo): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:([^/]+)/g, "{$1}");
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info,
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "header", name: "X-Agent-Session-Token" },
      },
      schemas: { Problem: PROBLEM },
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

const ALWAYS = [400, 422] as const;

function operation(endpoint: Endpoint<never>): Json {
  const { summary, tag, access, answer, errors } = endpoint;
  const statuses = [...new Set([...ALWAYS, ...errors, ...(access === "token" ? [401] : [])])].toSorted((a, b) => a - b);
  const problem = { content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } } };
  return {
    summary,
    tags: [tag],
    ...(access === "token" ? { security: [{ token: [] }, { session: [] }] } : { security: [] }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint)],
    ...bodyOf(endpoint),
    responses: {
      "200": { description: "done", ...contentOf(answer) },
      ...Object.fromEntries(
        statuses.map((status) => [
          String(status),
          status === 304 ? { description: "not changed" } : { description: "refused", ...problem },
        ]),
      ),
    },
  };
}

const schemaOf = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _none, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
};

function pathParameters({ path, params }: Endpoint<never>): readonly Json[] {
  const shapes = params?.shape ?? {};
  return [...path.matchAll(/:([^/]+)/g)].map(([, name = ""]) => {
    const shape = shapes[name];
    return { name, in: "path", required: true, schema: shape === undefined ? { type: "string" } : schemaOf(shape as z.ZodType, "input") }; // the shape of an object holds schemas
  });
}

function queryParameters({ query, ticket }: Endpoint<never>): readonly Json[] {
  const schema = query === undefined ? undefined : schemaOf(query, "input");
  const required = (schema?.["required"] ?? []) as readonly string[]; // JSON Schema says so
  const given = Object.entries((schema?.["properties"] ?? {}) as Record<string, Json>); // and so
  return [
    ...given.map(([name, shape]) => ({ name, in: "query", required: required.includes(name), schema: shape })),
    ...(ticket === undefined ? [] : [{ name: "ticket", in: "query", required: false, schema: { type: "string" } }]),
  ];
}

function bodyOf({ body, upload }: Endpoint<never>): Json {
  if (upload !== undefined)
    return {
      requestBody: { required: true, content: Object.fromEntries(upload.types.map((type) => [type, { schema: { type: "object" } }])) },
    };
  return body === undefined ? {} : { requestBody: { content: { "application/json": { schema: schemaOf(body, "input") } } } };
}

function contentOf(answer: AnswerForm): Json {
  if (answer === "none") return {};
  if (answer === "file") return { content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } } };
  if (answer === "events") return { content: { "text/event-stream": { schema: { type: "string" } } } };
  return { content: { "application/json": { schema: schemaOf(answer, "output") } } };
}
