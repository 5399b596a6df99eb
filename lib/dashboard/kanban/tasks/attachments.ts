import { Readable } from "node:stream";
import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { readFileChunks } from "../../../base/fs/spool.js";
import { KANBAN } from "../../../board/core/keys.js";
import type { Attachment, GivenFile } from "../../../contracts/board/records.js";
import { attachmentShape } from "../../../contracts/wire/shapes/records.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import { type FormPart, readForm } from "../../../http/multipart.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, boardToRead, DASHBOARD, rowId } from "../request/asked.js";
import { author } from "./given.js";
import { taskPath, taskToChange, taskToRead } from "./place.js";
import { expectedVersion, type TaskPlace } from "./precondition.js";

const about = { path: "/tasks/:id/attachments", tag: "attachments", params: taskPath, query: boardQuery } as const;

/** Files of a task. */
export const getAttachments = defineEndpoint({
  ...about,
  method: "GET",
  summary: "List the files of a task, oldest first.",
  answer: z.object({ attachments: z.array(attachmentShape) }),
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    return { json: { attachments: await parts.board.attachments(board, id) } };
  },
});

/** Bytes of a form beside its file. */
const AROUND_FILE = 64 << 10;

const form = z.object({
  file: z.file().describe("Any file with a name."),
  uploaded_by: author.describe("Default: dashboard."),
});

/** Keep a file with a task. It goes to the disk as it comes. */
export const addAttachment = defineEndpoint({
  ...about,
  method: "POST",
  summary: "Attach a file to a task: a form with `file` and optionally `uploaded_by`.",
  upload: { types: ["multipart/form-data"], maxBytes: KANBAN.attachmentMax.default + AROUND_FILE, form },
  answer: z.object({ attachment: attachmentShape }),
  errors: [404, 412, 413, 415],
  run: async (request, parts: KanbanParts) => {
    const place = await taskToChange(parts, request);
    await parts.board.task(place.board, place.id); // an unknown task is reported before its file has come
    await expectedVersion(parts, place, request);
    const most = parts.config.get(KANBAN.attachmentMax) + AROUND_FILE;
    const sent = readForm(request.raw as AsyncIterable<Buffer>, request.header("content-type"), most); // no encoding is set on a request
    return { json: { attachment: await attachFrom(sent, parts, place) } };
  },
});

const FIELD_BYTES = 4096;

type Fields = Map<string, string>;

async function attachFrom(
  form: AsyncGenerator<FormPart>,
  { board: api }: KanbanParts,
  { board, id }: TaskPlace,
): Promise<Attachment> {
  const fields: Fields = new Map();
  const file = await nextFile(form, fields);
  if (file === undefined) throw new AppError("E_INVALID", "missing file: send it as the part `file`");
  const { attachments } = await api.attach(board, id, [givenFile(file, form, fields)], DASHBOARD);
  const [made] = attachments;
  if (made === undefined) throw new Error("a file that was attached is there");
  return made;
}

/** @throws E_INVALID its name has nothing to keep */
function givenFile(file: FormPart, form: AsyncGenerator<FormPart>, fields: Fields): GivenFile {
  const filename = file.filename ?? "";
  if (/^[\s./\\\p{Cc}]*$/u.test(filename)) throw new AppError("E_INVALID", "missing file name");
  const type = file.contentType;
  const known = type !== undefined && type !== "application/octet-stream" && MEDIA_TYPE.test(type);
  return {
    path: filename,
    filename,
    content_type: known ? type : undefined,
    bytes: wholeForm(file, form, fields),
    uploadedBy: () => signed(fields),
  };
}

const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** The bytes of a file; the fields behind it belong to it as well. */
async function* wholeForm(file: FormPart, form: AsyncGenerator<FormPart>, fields: Fields): AsyncGenerator<Buffer> {
  yield* file.body;
  while ((await nextFile(form, fields)) !== undefined); // one file at a time is kept
  signed(fields);
}

/** Read fields until a file comes, or the form ends. */
async function nextFile(form: AsyncGenerator<FormPart>, fields: Fields): Promise<FormPart | undefined> {
  for (;;) {
    const next = await form.next();
    if (next.done === true) return undefined;
    if (next.value.name === "file") return next.value;
    fields.set(next.value.name, await textOf(next.value));
  }
}

async function textOf({ body }: FormPart): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > FIELD_BYTES) throw new AppError("E_TOO_LARGE", `a form field exceeds ${FIELD_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** @throws E_INVALID */
function signed(fields: Fields): string | undefined {
  const name = author.safeParse(fields.get("uploaded_by"));
  if (!name.success)
    throw new AppError("E_INVALID", "uploaded_by must be at most 200 characters, without control characters");
  return name.data || undefined;
}

const one = {
  path: "/attachments/:id",
  tag: "attachments",
  params: z.object({ id: z.string() }),
  query: boardQuery,
} as const;

/** The bytes of a file, always as a download: what others brought is never shown as a page of ours. */
export const downloadAttachment = defineEndpoint({
  ...one,
  method: "GET",
  summary: "Download a file.",
  ticket: true,
  answer: "file",
  errors: [404],
  run: async ({ params, query }, parts: KanbanParts) => {
    const board = await boardToRead(parts, query);
    const { attachment: row, path } = await parts.board.attachment(board, rowId(params.id, "attachment"));
    return { stream: Readable.from(readFileChunks(path, row.size)), headers: downloadHeaders(row) };
  },
});

function downloadHeaders({ filename, content_type, size }: Attachment): Readonly<Record<string, string>> {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    "content-type": MEDIA_TYPE.test(content_type) ? content_type : "application/octet-stream",
    "content-length": String(size),
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${exact}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  };
}

/** Remove a file. */
export const removeAttachment = defineEndpoint({
  ...one,
  method: "DELETE",
  summary: "Remove a file from its task.",
  answer: z.object({ ok: z.literal(true), id: z.int() }),
  errors: [404],
  run: async ({ params, query }, parts: KanbanParts) => {
    const board = await boardToChange(parts, query);
    const id = rowId(params.id, "attachment");
    await parts.board.detach(board, id, DASHBOARD);
    return { json: { ok: true, id } };
  },
});
