import { lexMarkdown, type MarkedToken, ownTokens } from "../../base/text/markdown.js";
import { cutAtSentence } from "../speech/speech-text.js";

/** Longest answer that is spoken whole, in characters: about two minutes. */
const SPOKEN_CHARS = 1_500;
const REST = "The rest is in the text.";
const DEEPEST = 20;

/** An answer as it is read aloud: without Markdown, code, tables and addresses, and not too long. "": nothing of it can be spoken. */
export function toSpokenText(answer: string): string {
  const plain = answer.replace(/\[\[(?:audio_as_voice|as_document)\]\]/g, "").replace(/^\s*MEDIA:\S.*$/gm, "");
  const tokens = lexMarkdown(plain, { deepest: DEEPEST });
  const lines = (tokens === undefined ? [plain] : tokens.flatMap(blockLines)).map(spaced).filter(isSpoken);
  const whole = lines.map(asSentence).join("\n");
  const cut = cutAtSentence(whole, SPOKEN_CHARS);
  return cut === whole ? whole : `${asSentence(cut.trim())}\n${REST}`;
}

const spaced = (line: string): string => shortAddresses(line).replace(/\s+/g, " ").trim();
const isSpoken = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** A voice pauses where a sentence ends. */
const asSentence = (line: string): string => (/[\p{L}\p{N})\]"'”’`%]$/u.test(line) ? `${line}.` : line);

/** `https://docs.example.org/a/b?c` is spoken as `docs.example.org`. */
const shortAddresses = (text: string): string =>
  text.replace(/\bhttps?:\/\/[^\s<>"')\]]+/gi, (found) => {
    const end = /[.,;:!?]+$/.exec(found)?.[0] ?? "";
    const address = found.slice(0, found.length - end.length);
    return `${URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, "") : address}${end}`;
  });

function blockLines(token: MarkedToken): readonly string[] {
  switch (token.type) {
    case "code": {
      const lines = token.text.split("\n").length;
      return [`Code, ${lines} ${lines === 1 ? "line" : "lines"}`];
    }
    case "table":
      return [`Table, ${token.rows.length} ${token.rows.length === 1 ? "row" : "rows"}`];
    case "list":
      return token.items.flatMap((item) => ownTokens(item.tokens).flatMap(blockLines));
    case "blockquote":
      return ownTokens(token.tokens).flatMap(blockLines);
    case "hr":
    case "space":
    case "def":
    case "html":
      return [];
    default:
      return inlineText([token]).split("\n\n");
  }
}

function inlineText(tokens: readonly MarkedToken[]): string {
  return tokens.map(inlineWords).join("");
}

function inlineWords(token: MarkedToken): string {
  if (token.type === "br") return " ";
  if (token.type === "html" || token.type === "checkbox") return " ";
  if (token.type === "codespan" || token.type === "escape" || token.type === "image") return token.text;
  if ("tokens" in token && token.tokens !== undefined) return inlineText(ownTokens(token.tokens));
  return "text" in token ? token.text : "";
}
