import {
  checkField,
  type FormAsked,
  type FormField,
  type FormGiven,
  type FormValue,
} from "../../contracts/chat/form.js";
import {
  CANCEL_WORD,
  DECLINE_WORD,
  fieldHint,
  fieldText,
  parseField,
  SKIP_WORD,
} from "../../contracts/chat/form-text.js";
import { urlParts } from "../../contracts/chat/form-url.js";
import type { Button } from "../../contracts/gateway/outbox.js";
import { block, type ChatQuestion } from "./question-texts.js";

/** What was filled into a form in a chat so far. */
export interface ChatFill {
  /** Field that is asked for. */
  readonly at: number;
  readonly content: Readonly<Record<string, FormValue>>;
}

export const NEW_FILL: ChatFill = { at: 0, content: {} };

/** What an answer comes to: the next field, the same one again, or the end of the form. */
export type Filled = { readonly next: ChatFill } | { readonly fault: string } | { readonly given: FormGiven };

const AGREE = "agree";
/** More options are typed by their number. */
const BUTTONS_MOST = 10;

/** What is asked next. The first message says who asks and why. */
export function formQuestion(request: string, asked: FormAsked, fill: ChatFill, fault?: string): ChatQuestion {
  const { title, from, message, fields } = asked;
  const head =
    fill.at === 0 && fault === undefined
      ? [`📝 ${from} asks${title.endsWith(" asks") ? "" : `: ${title}`}`, message, ""]
      : [];
  const field = fields[fill.at];
  const wrong = fault === undefined ? [] : [`⚠️ ${fault}`];
  const data = (option: string) => `fo:${request}:${fill.at}:${option}`;
  if (field === undefined) {
    const how = ["", `Answer with ${AGREE}, ${DECLINE_WORD} or ${CANCEL_WORD}.`];
    const buttons = [
      [
        { text: "✅ Agree", data: data(AGREE) },
        { text: "❌ Decline", data: data(DECLINE_WORD) },
      ],
    ];
    return { text: [...wrong, ...head, ...addressLines(asked.url), ...how].join("\n"), buttons };
  }
  const skips = checked(field, undefined);
  const { required, label, description, choices = [], default: given } = field;
  const facts = [required ? "required" : "optional", fieldHint(field)].filter((part) => part !== "");
  const instead = given === undefined ? "leaves it out" : `takes ${fieldText(field, given)}`;
  const words = [...(skips ? [`${SKIP_WORD} ${instead}`] : []), `${CANCEL_WORD} ends the form`];
  const text = [
    ...head,
    ...wrong,
    `**${label}** (${facts.join(", ")})${fields.length > 1 ? ` · ${fill.at + 1} of ${fields.length}` : ""}`,
    ...(description === undefined ? [] : [description]),
    ...choices.map((choice, at) => `${at + 1}. ${choice.label}`),
    "",
    `Type your answer; ${words.join(", ")}.`,
  ].join("\n");
  const ends = [
    ...(skips ? [{ text: "Skip", data: data(SKIP_WORD) }] : []),
    { text: "Cancel", data: data(CANCEL_WORD) },
  ];
  return { text, buttons: [...optionButtons(field, data), ends] };
}

function optionButtons(field: FormField, data: (option: string) => string): readonly (readonly Button[])[] {
  const labels =
    field.type === "boolean"
      ? ["yes", "no"]
      : field.type === "choice"
        ? (field.choices ?? []).map(({ label }) => label)
        : [];
  if (labels.length > BUTTONS_MOST) return [];
  return labels.map((label, at) => [{ text: [...label].slice(0, 40).join(""), data: data(String(at)) }]);
}

/** The address whole, and its host by itself: it is opened by a person who trusts it. */
function addressLines(url: string | undefined): readonly string[] {
  if (url === undefined) return [];
  const parts = urlParts(url);
  return parts === undefined
    ? [block(url), "⚠️ This is not a web address: do not open it."]
    : [block(url), `Host: ${parts.host}`, ...parts.warnings.map((one) => `⚠️ ${one}`)];
}

/** A text that answers what is asked. */
export function fillIn({ fields }: FormAsked, fill: ChatFill, said: string): Filled {
  const word = said.trim().toLowerCase();
  if (word === CANCEL_WORD || word === DECLINE_WORD) return { given: { action: word } };
  const field = fields[fill.at];
  if (field === undefined)
    return word === AGREE
      ? { given: { action: "accept" } }
      : { fault: `Answer with ${AGREE}, ${DECLINE_WORD} or ${CANCEL_WORD}.` };
  if (word === SKIP_WORD) return skipped(fields, fill, field);
  const read = parseField(field, said);
  if ("fault" in read) return { fault: `${field.label}: ${read.fault}` };
  return on(fields, fill, read.value === undefined ? fill.content : { ...fill.content, [field.name]: read.value });
}

/** A button of the field that is asked for; undefined: it belongs to an earlier one. */
export function pressIn(asked: FormAsked, fill: ChatFill, pressed: { at: number; option: string }): Filled | undefined {
  if (pressed.at !== fill.at) return undefined;
  const field = asked.fields[fill.at];
  if (field === undefined || !/^\d+$/.test(pressed.option)) return fillIn(asked, fill, pressed.option);
  const value = field.type === "boolean" ? pressed.option === "0" : field.choices?.[Number(pressed.option)]?.value;
  return value === undefined ? undefined : on(asked.fields, fill, { ...fill.content, [field.name]: value });
}

const checked = (field: FormField, value: unknown): boolean => !("fault" in checkField(field, value));

/** Its default is put in where the content is checked. */
function skipped(fields: readonly FormField[], fill: ChatFill, field: FormField): Filled {
  return checked(field, undefined)
    ? on(fields, fill, fill.content)
    : { fault: `${field.label} is required. ${CANCEL_WORD} ends the form.` };
}

const on = (fields: readonly FormField[], { at }: ChatFill, content: ChatFill["content"]): Filled =>
  at + 1 < fields.length ? { next: { at: at + 1, content } } : { given: { action: "accept", content } };
