import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type * as z from "zod";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request as an endpoint sees it: past the guard and the token, its parts parsed. */
export interface EndpointRequest<P, Q, B> {
  /** Decoded parts of the path by the names in the pattern. */
  readonly params: P;
  readonly query: Q;
  /** An absent or empty body equals `{}`. */
  readonly body: B;
  /** By lower-case name; the first value of a repeated header. */
  header(name: string): string | undefined;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** The bytes themselves, for an endpoint with `upload`. */
  readonly raw: IncomingMessage;
  /** The caller showed the right token; public endpoints may tell such a caller more. */
  readonly known: boolean;
  /** Address of the caller, for limits by address. */
  readonly address: string;
}

/** An answer in JSON. Without a `status` it is 200. */
export interface JsonReply {
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an endpoint answers. */
export type EndpointReply =
  | JsonReply
  | { readonly status?: number; readonly stream: Readable; readonly headers: Readonly<Record<string, string>> }
  | { readonly status?: number; readonly bytes: Buffer; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: 204 | 304; readonly headers?: Readonly<Record<string, string>> };

/** What a JSON answer looks like, for the description and for the tests that hold the two together; or what else comes. */
export type AnswerForm = z.ZodType | "file" | "events" | "none";

/** One method on one path of a listener. `Parts` is what the listener's owner hands to it. */
export interface Endpoint<Parts> {
  readonly method: HttpMethod;
  /** Segments beginning with `:` take one decoded segment each. */
  readonly path: string;
  /** One line for the description. */
  readonly summary: string;
  /** Heading in the description. */
  readonly tag: string;
  /** Default `token`. */
  readonly access: "public" | "token";
  readonly params?: z.ZodObject | undefined;
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodType | undefined;
  /** Takes its body as it comes, in these media types, up to so many bytes by default: it looks at them itself. `form`: its fields, for the description. */
  readonly upload?:
    | { readonly types: readonly string[]; readonly maxBytes: number; readonly form?: z.ZodObject }
    | undefined;
  /** A ticket of the query for this very path may stand for the token (downloads of a browser). */
  readonly ticket?: true | undefined;
  readonly answer: AnswerForm;
  /** Status when it is done; default 200. */
  readonly success?: number | undefined;
  /** Statuses beside that which it answers, those of the guard and of wrong input left out. */
  readonly errors: readonly number[];
  /** Bytes of the largest JSON body. Default: the listener's. */
  readonly maxBody?: number | undefined;
  run(request: EndpointRequest<unknown, unknown, unknown>, parts: Parts): Promise<EndpointReply>;
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;
type Texts = Readonly<Record<string, string>>;

interface Definition<Parts, P, Q, B> {
  readonly method: HttpMethod;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly access?: "public" | "token";
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly upload?: Endpoint<Parts>["upload"];
  readonly ticket?: true;
  readonly answer: AnswerForm;
  readonly success?: number;
  readonly errors?: readonly number[];
  readonly maxBody?: number;
  run(
    request: EndpointRequest<P extends z.ZodType ? z.output<P> : Texts, Output<Q>, Output<B>>,
    parts: Parts,
  ): Promise<EndpointReply>;
}

/** Define an endpoint: its schemas give the types of the request, the checks before `run`, and its place in the description. */
export function defineEndpoint<
  Parts,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: Definition<Parts, P, Q, B>): Endpoint<Parts> {
  const { access = "token", errors = [], run, ...rest } = definition;
  // `run` gets what the schemas beside it have parsed, so its wider type holds for every call that `serve` makes.
  return { ...rest, access, errors, run: run as unknown as Endpoint<Parts>["run"] };
}
