import { basename, extname } from "node:path";
import { readAtMost } from "../../../lib/base/fs/files.js";
import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { sha256 } from "../../../lib/base/text/hash.js";
import type { HearingProvider } from "../../../lib/contracts/media/hearing.js";
import { askService, keyOf, missingKey, withoutSlash } from "../audio-service.js";

const MAX_BYTES = 25 << 20;
const ANSWER_BYTES = 8 << 20;
const HEAR_MS = 300_000;

/** What differs between services with the public form of `POST /audio/transcriptions`. */
export interface HearingService {
  readonly name: string;
  readonly keyVariables: readonly string[];
  readonly baseUrl: string;
  readonly model: string;
}

export function hearingService({ name, keyVariables, baseUrl, model }: HearingService): HearingProvider {
  return {
    name,
    billed: true,
    keyVariables,
    maxBytes: MAX_BYTES,
    model: (settings) => settings.text("model", model),
    lacks: ({ env }) => (keyOf(env, keyVariables) === undefined ? missingKey(keyVariables) : undefined),
    hear: async (path, around, signal) => {
      const key = keyOf(around.env, keyVariables);
      if (key === undefined) return { ok: false, type: "auth_required", why: missingKey(keyVariables) };
      const bytes = await readAtMost(path, MAX_BYTES + 1);
      if (bytes === undefined) return { ok: false, type: "api_error", why: `cannot read ${basename(path)}` };
      if (bytes.length > MAX_BYTES) return { ok: false, type: "too_large", why: `${name} takes at most 25 MiB` };
      const { settings } = around;
      const language = settings.text("language", "");
      const fields = { model: settings.text("model", model), response_format: "json", ...(language && { language }) };
      const form = multipart(fields, { name: `recording${extname(path)}`, bytes });
      const answer = await askService(
        around,
        {
          url: `${withoutSlash(settings.text("base_url", baseUrl))}/audio/transcriptions`,
          headers: { authorization: `Bearer ${key.reveal()}`, "content-type": form.type },
          body: form.body,
          maxBytes: ANSWER_BYTES,
          ms: HEAR_MS,
          keyHint: `check ${keyVariables[0] ?? ""}`,
        },
        signal,
      );
      if (!answer.ok) return answer;
      const value = jsonOf(answer.bytes.toString("utf8"));
      const text = isRecord(value) ? value["text"] : undefined;
      return typeof text === "string"
        ? { ok: true, text: text.trim() }
        : { ok: false, type: "api_error", why: `${name} answered without a text` };
    },
  };
}

/** A form with one file (RFC 7578). The boundary follows from the file, which cannot hold its own digest. */
function multipart(fields: Readonly<Record<string, string>>, file: { readonly name: string; readonly bytes: Buffer }) {
  const boundary = `agent-${sha256(file.bytes.toString("latin1"))}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${file.name}"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(texts.join("") + head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
