import { isRecord, jsonOf } from "../base/json/record.js";
import { type Net, NetError } from "../base/net/net.js";
import type { Ms } from "../base/units.js";
import { catalogueWindow } from "./core/catalogue.js";
import { isLoopbackUrl } from "./core/endpoints.js";
import { modelRows } from "./core/model-rows.js";

/** Least window that a turn fits into, and the one below which only the core tools are offered (core part, 3.7). */
export const MIN_WINDOW = 16_000;
export const SMALL_WINDOW = 64_000;

const REMOTE_DEFAULT = 128_000;
const LOOPBACK_DEFAULT = 32_768;
const ASK_MS: Ms = 2_000;
const MAX_BYTES = 4 << 20;

export interface WindowQuestion {
  readonly net: Net;
  readonly baseUrl: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface FoundWindow {
  readonly window: number;
  /** The default, because the server was not reached: it may tell another time. */
  readonly guessed: boolean;
}

/** Window of a model that is not configured: catalogue, what the server says, else the default of its kind. */
export async function findWindow(question: WindowQuestion): Promise<FoundWindow> {
  const local = isLoopbackUrl(question.baseUrl);
  const catalogued = local ? undefined : catalogueWindow(question.model);
  if (catalogued !== undefined) return { window: catalogued, guessed: false };
  const list = await get(question, `${question.baseUrl.replace(/\/+$/, "")}/models`);
  const told = windowInRows(modelRows(list ?? ""), question.model) ?? (local ? await askLocal(question) : undefined);
  return {
    window: told ?? (local ? LOOPBACK_DEFAULT : REMOTE_DEFAULT),
    guessed: told === undefined && list === undefined,
  };
}

async function askLocal(question: WindowQuestion): Promise<number | undefined> {
  const origin = new URL(question.baseUrl).origin;
  const [studio, props, ollama] = await Promise.all([
    get(question, `${origin}/api/v0/models`),
    get(question, `${origin}/props`),
    get(question, `${origin}/api/show`, JSON.stringify({ model: question.model })),
  ]);
  return (
    windowInRows(modelRows(studio ?? ""), question.model) ??
    windowInProps(jsonOf(props ?? "")) ??
    windowInShow(jsonOf(ollama ?? ""))
  );
}

/** Names under which servers tell the window in a row of a list; the loaded one counts before the possible one. */
const ROW_NAMES = [
  "loaded_context_length",
  "max_model_len",
  "context_length",
  "max_context_length",
  "context_window",
  "n_ctx",
];

/** Window in the row of `model`. */
function windowInRows(rows: readonly Readonly<Record<string, unknown>>[], model: string): number | undefined {
  const row = rows.find((candidate) => candidate["id"] === model);
  const meta = isRecord(row?.["meta"]) ? row["meta"] : {};
  return firstNumber([...ROW_NAMES.map((name) => row?.[name]), meta["n_ctx"], meta["n_ctx_train"]]);
}

/** llama.cpp: `n_ctx` of the slot. */
function windowInProps(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined;
  const settings = isRecord(value["default_generation_settings"]) ? value["default_generation_settings"] : {};
  return firstNumber([settings["n_ctx"], value["n_ctx"]]);
}

/** Ollama: `num_ctx` of the model's parameters, else the model's own length. */
function windowInShow(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined;
  const parameters = typeof value["parameters"] === "string" ? value["parameters"] : "";
  const set = /^\s*num_ctx\s+(\d+)/m.exec(parameters)?.[1];
  const info = isRecord(value["model_info"]) ? value["model_info"] : {};
  const own = Object.entries(info).find(([name]) => name.endsWith(".context_length"))?.[1];
  return firstNumber([set === undefined ? undefined : Number(set), own]);
}

function firstNumber(values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === "number" && Number.isFinite(value) && value > 0);
}

/** Undefined: no server was reached. */
async function get(question: WindowQuestion, url: string, body?: string): Promise<string | undefined> {
  try {
    const response = await question.net.fetch({
      method: body === undefined ? "GET" : "POST",
      url,
      headers: {
        ...question.headers,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      connectMs: ASK_MS,
      totalMs: ASK_MS,
      purpose: "model",
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text(MAX_BYTES);
    return response.status === 200 ? text : "";
  } catch (error) {
    // A server that does not tell gets the default; whether it answers at all shows at the request itself.
    if (error instanceof NetError) return error.failure === "timeout" ? "" : undefined; // who is slow is not asked with every turn
    throw error;
  }
}
