import type { IncomingMessage, ServerResponse } from "node:http";
import type * as z from "zod";
import { AppError } from "../base/errors.js";
import { readJson } from "./body.js";
import type { Endpoint, EndpointRequest, JsonReply } from "./endpoint.js";

/** The parts of a request that its endpoint's schemas have parsed. */
export type Input = Pick<EndpointRequest<unknown, unknown, unknown>, "params" | "query" | "body">;

/** One wrong value of a request, as `detail` of a 422 lists it. */
interface Wrong {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** What a request gives beside its body. */
export interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Bytes of the largest JSON body where the endpoint says nothing. */
  readonly maxBody: number;
}

/**
 * Check and convert what an endpoint is asked with.
 *
 * @returns the input, or the answer that lists every wrong value
 * @throws E_INVALID a body that is not JSON, or (415) of another type; E_TOO_LARGE
 */
export async function inputOf<Parts>(
  endpoint: Endpoint<Parts>,
  request: IncomingMessage,
  response: ServerResponse,
  given: RequestInput,
): Promise<Input | { readonly refused: JsonReply }> {
  checkType(endpoint, request);
  if (request.headers.expect !== undefined) response.writeContinue();
  const wrong: Wrong[] = [];
  const parse = (schema: z.ZodType | undefined, where: string, value: unknown): unknown => {
    if (schema === undefined) return value;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    wrong.push(
      ...parsed.error.issues.map(({ path, message, code }) => ({
        loc: [where, ...path.map(plain)],
        msg: message,
        type: code,
      })),
    );
    return undefined;
  };
  const params = parse(endpoint.params, "path", given.params);
  const query = parse(endpoint.query, "query", queryOf(given.query));
  const hasJson = endpoint.body !== undefined && endpoint.upload === undefined;
  const json = hasJson ? await readJson(request, endpoint.maxBody ?? given.maxBody) : {};
  const body = parse(endpoint.body, "body", json);
  return wrong.length > 0
    ? { refused: { status: 422, json: { detail: wrong, code: "E_INVALID_PARAMS" } } }
    : { params, query, body };
}

/** A browser sends some media types to other sites without asking; a body that counts says that it is JSON, an empty one need not. */
function checkType<Parts>(endpoint: Endpoint<Parts>, request: IncomingMessage): void {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const hasBody =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  const types = endpoint.upload?.types ?? ["application/json"];
  if (!hasBody || types.includes(type ?? "")) return;
  throw new AppError("E_INVALID", `the body must be ${types.join(" or ")}`, { http: 415 });
}

/** A key that is there twice is a list. */
function queryOf(query: URLSearchParams): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>; // no name is special in it
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name);
    values[name] = all.length === 1 ? (all[0] ?? "") : all;
  }
  return values;
}

const plain = (part: PropertyKey): string | number => (typeof part === "number" ? part : String(part));
