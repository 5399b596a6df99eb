import { createHash } from "node:crypto";

/** A file that goes with a call, in the field of that name. */
export interface UploadFile {
  readonly field: string;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Body of a call: JSON, or a form where a file goes along. */
export function uploadOf(
  params: Readonly<Record<string, unknown>>,
  file: UploadFile | undefined,
): { readonly type: string; readonly body: string | Uint8Array } {
  if (file === undefined) return { type: "application/json", body: JSON.stringify(params) };
  // Drawn from the file, so that no file holds its own boundary but by design of the hash.
  const boundary = `part-${createHash("sha256").update(file.bytes).digest("hex").slice(0, 40)}`;
  const fields = Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    });
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${safe(file.name)}"\r\ncontent-type: ${line(file.mime)}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(fields.join("") + head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

const line = (text: string) => text.replace(/[\r\n]/g, "");

/** As browsers write it. */
const safe = (name: string) => name.replace(/[\r\n]/g, "_").replaceAll('"', "%22");
