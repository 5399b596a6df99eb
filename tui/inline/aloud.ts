import { urlParts } from "../../lib/contracts/chat/form-url.js";
import { pushNote } from "../chat/push.js";
import type { Effect } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { answeredBy } from "../questions/acts.js";
import { formLine, formLines } from "../questions/form/aloud.js";
import type { Choice, Question } from "../questions/question.js";
import { isHidden, shownQuestion } from "../questions/shown.js";

/** A question that has just come was not read yet: a line that was on its way does not answer it. In milliseconds. */
const READ_MS = 600;

/** Lines that say what is asked, and what to type, for a terminal on which nothing is drawn again. */
export function questionLines(question: Question): readonly string[] {
  const { title, body, diff, cwd, parts, reasons, choices, kind, form, url } = question;
  const risks = parts
    .filter((part) => part.risk !== "")
    .map(({ argv, risk, why }) => `${argv}   ${risk}${why === "" ? "" : `: ${why}`}`);
  const lines = [
    ...body.split("\n"),
    ...(diff === "" ? [] : diff.split("\n")),
    ...(cwd === "" ? [] : [`in ${cwd}`]),
    ...(url === undefined ? [] : addressLines(url)),
    ...reasons,
    ...risks,
  ];
  const offered = kind === "clarify" ? choices.map(({ key, label }) => `${key} ${label}`) : [];
  const told = ["", `? ${title}`, ...[...lines, ...offered].map((line) => `  ${line}`), `  ${howTo(question)}`];
  return form === undefined ? told : [...told, ...formLines(form)];
}

/** The address whole, and its host by itself. */
function addressLines(url: string): readonly string[] {
  const parts = urlParts(url);
  return parts === undefined
    ? [url, "This is not a web address: do not open it."]
    : [url, `host: ${parts.host}`, ...parts.warnings.map((one) => `Note: ${one}.`)];
}

function howTo(question: Question): string {
  if (question.form !== undefined)
    return "Type a value for each field. `skip` leaves one out; `decline` or `cancel` ends the form.";
  if (question.kind === "form") {
    const [agree] = question.choices;
    return `Type ${agree?.answer === "copy" ? "ok" : "yes"} (${agree?.key ?? ""}) to agree, or decline (d). Open the address yourself.`;
  }
  if (isHidden(question))
    return "A hidden value cannot be typed here. Open the workspace in another terminal to answer.";
  if (question.kind === "clarify")
    return question.choices.length === 0 ? "Type your answer." : "Type a number, or your own answer.";
  const words = question.choices.map(({ key, answer }) => `${answer} (${key})`);
  return `Type ${words.join(", ")}, or /deny with a reason.`;
}

/** A line that was typed: the answer to the open question, or undefined where it is something else. */
export function lineAnswer(state: State, line: string): Updated | undefined {
  const question = shownQuestion(state);
  if (question === undefined || isHidden(question)) return undefined;
  const { form } = question;
  const choice = form === undefined ? choiceOf(question, line.trim().toLowerCase()) : undefined;
  if (choice === undefined && form === undefined) return undefined;
  if (state.now - question.since < READ_MS)
    return [{ ...state, chat: pushNote(state.chat, "A question arrived. Type your answer again.") }, []];
  if (form !== undefined) return formLine(state, question, form, line);
  return choice === undefined ? undefined : [state, [answering(question, choice)]];
}

/** Own words answer by themselves: the choice for them is none. */
const choiceOf = ({ choices }: Question, word: string): Choice | undefined =>
  choices.find(
    ({ key, answer }) => answer !== "" && (key === word || answer.toLowerCase() === word || AGREES[word] === answer),
  );

/** Words for the answers of a consent; the clipboard is not this terminal's. */
const AGREES: Readonly<Record<string, string>> = { ok: "copy", yes: "accept" };

const answering = (question: Question, { answer }: Choice): Effect =>
  question.kind === "clarify"
    ? answeredBy(question, answer)
    : { do: "answer", request: question.request, kind: question.kind, answer: answer === "copy" ? "accept" : answer };
