import type { InboundMedia, InboundType } from "../../../lib/contracts/board/platform-tag.js";

/** What a message says, and the files that it brings. */
export interface Content {
  readonly text: string;
  readonly type: InboundType;
  readonly media: readonly InboundMedia[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Read the content of a message, which is JSON in a text. What cannot be read is described by its kind. */
export function contentOf(kind: string, content: string, messageId: string): Content {
  const fields = jsonOf(content);
  const read = Object.hasOwn(READERS, kind) ? READERS[kind]?.(fields, messageId) : undefined;
  return read ?? { text: `[${kind}]`, type: "text", media: [] };
}

function jsonOf(text: string): Fields {
  try {
    const read: unknown = JSON.parse(text);
    return isFields(read) ? read : {};
  } catch {
    return {}; // a content that is not JSON holds nothing that can be read
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textAt = (fields: Fields, name: string): string => (typeof fields[name] === "string" ? fields[name] : "");

type Reader = (fields: Fields, messageId: string) => Content | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  text: (fields) => ({ text: textAt(fields, "text"), type: "text", media: [] }),
  post: postOf,
  image: (fields, id) => fileOf(fields, { messageId: id, key: "image_key", kind: "image", type: "photo" }),
  file: (fields, id) => fileOf(fields, { messageId: id, key: "file_key", kind: "document", type: "document" }),
  audio: (fields, id) => fileOf(fields, { messageId: id, key: "file_key", kind: "voice", type: "voice" }),
  media: (fields, id) => fileOf(fields, { messageId: id, key: "file_key", kind: "video", type: "video" }),
  sticker: () => ({ text: "[sticker]", type: "sticker", media: [] }),
  location: (fields) => {
    const place = [textAt(fields, "name"), textAt(fields, "latitude"), textAt(fields, "longitude")].filter(Boolean);
    return { text: `[location ${place.join(", ")}]`, type: "location", media: [] };
  },
};

interface FileKind {
  readonly messageId: string;
  readonly key: string;
  readonly kind: "image" | "document" | "voice" | "video";
  readonly type: InboundType;
}

const MIMES = { image: "image/jpeg", voice: "audio/ogg", video: "video/mp4", document: null } as const;

function fileOf(fields: Fields, { messageId, key: name, kind, type }: FileKind): Content | undefined {
  const key = textAt(fields, name);
  if (key === "") return undefined;
  return { text: "", type, media: [mediaOf(messageId, key, { kind, name: textAt(fields, "file_name") || null })] };
}

function mediaOf(
  messageId: string,
  key: string,
  { kind, name }: { readonly kind: FileKind["kind"]; readonly name: string | null },
): InboundMedia {
  return {
    kind,
    mime: MIMES[kind],
    name,
    size: null,
    ref: { messageId, key, type: kind === "image" ? "image" : "file" },
  };
}

/** A post comes as it was written, or in a map by language. */
function postOf(fields: Fields, messageId: string): Content | undefined {
  const post = Array.isArray(fields["content"])
    ? fields
    : Object.values(fields).find((one): one is Fields => isFields(one) && Array.isArray(one["content"]));
  if (post === undefined) return undefined;
  const rows = (post["content"] as readonly unknown[]).map((row) => (Array.isArray(row) ? row.filter(isFields) : [])); // found as a list above
  const lines = rows.map((row) => row.map(wordsOf).join(""));
  const media = rows.flat().flatMap((part) => {
    const [kind, key] =
      part["tag"] === "media"
        ? (["video", textAt(part, "file_key")] as const)
        : (["image", textAt(part, "image_key")] as const);
    return key === "" || (part["tag"] !== "img" && part["tag"] !== "media")
      ? []
      : [mediaOf(messageId, key, { kind, name: null })];
  });
  const text = [textAt(post, "title"), ...lines]
    .filter((line, at) => at > 0 || line !== "")
    .join("\n")
    .trim();
  return { text, type: media.length > 0 && text === "" ? "photo" : "text", media };
}

function wordsOf(part: Fields): string {
  switch (part["tag"]) {
    case "a": {
      const text = textAt(part, "text");
      const href = textAt(part, "href");
      return href === "" || href === text ? text : `${text} (${href})`;
    }
    case "at":
      return textAt(part, "user_id").startsWith("@_") ? textAt(part, "user_id") : `@${textAt(part, "user_name")}`;
    case "code_block":
      return `\n\`\`\`${textAt(part, "language").toLowerCase()}\n${textAt(part, "text")}\n\`\`\`\n`;
    case "emotion":
      return `[${textAt(part, "emoji_type")}]`;
    default:
      return textAt(part, "text");
  }
}
