/** Row of `GET /api/config/schema`. */
export interface SettingKey {
  readonly key: string;
  readonly type: "boolean" | "string" | "integer" | "number" | "choice" | "strings" | "limit" | "any";
  readonly of?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly default: unknown;
  readonly help: string;
  /** Variable that wins over the file. */
  readonly env: string | null;
  readonly secret: boolean;
}

/** `GET /api/config`, by key. */
export type SettingValues = Readonly<
  Record<string, { readonly value: unknown; readonly source: "default" | "file" | "environment" }>
>;
