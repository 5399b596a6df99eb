/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A method as the published protocol describes it. */
export interface MethodForm {
  readonly name: string;
  /** `read` changes nothing. */
  readonly access: "read" | "write" | "admin";
  readonly summary?: string;
  readonly params: JsonSchema;
  /** What it answers. */
  readonly result: JsonSchema;
}

/** `agent help protocol --json` and `GET /api/protocol.json`. */
export interface ProtocolDocument {
  /** Number that the notification `hello` names. */
  readonly protocol: number;
  /** Version of the program. */
  readonly version: string;
  readonly methods: readonly MethodForm[];
  /** Schemas that others refer to as `#/schemas/NAME`. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Around the `data` of every event. */
  readonly event: JsonSchema;
  readonly events: readonly {
    readonly name: string;
    readonly durable: boolean;
    readonly summary: string;
    readonly data: JsonSchema;
  }[];
  readonly limits: Readonly<Record<string, number>>;
  readonly close_codes: Readonly<Record<string, string>>;
}
