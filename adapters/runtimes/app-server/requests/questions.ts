import * as z from "zod";
import type { RuntimeQuestion } from "../../../../lib/contracts/runtimes/runtime.js";
import { type RequestHandler, unsupported } from "./types.js";

const QUESTION = z.looseObject({
  id: z.string(),
  header: z.string().nullish(),
  question: z.string(),
  isSecret: z.boolean().nullish(),
  options: z.array(z.looseObject({ label: z.string(), description: z.string().nullish() })).nullish(),
});

const PARAMS = z.looseObject({ questions: z.array(QUESTION) });

const METHOD = "item/tool/requestUserInput";

/** `item/tool/requestUserInput`: one question after another; without an answer the tool gets none (extensions part, 8.7). */
export const answerQuestions: RequestHandler = {
  refusal: unsupported(METHOD),
  params: ["threadId", "turnId", "itemId", "questions", "isBlocking", "autoResolutionMs"],
  answer: async (given, { host, signal }) => {
    const { questions } = PARAMS.parse(given);
    const answers = new Map<string, { readonly answers: readonly string[] }>();
    for (const question of questions) {
      const answer = await host.ask(toQuestion(question), signal);
      if (answer === undefined) return unsupported(METHOD);
      answers.set(question.id, { answers: [answer] });
    }
    return { result: { answers: Object.fromEntries(answers) } };
  },
};

/** What the options mean stands below the question: the answer is a label. */
function toQuestion({ header, question, isSecret, options }: z.infer<typeof QUESTION>): RuntimeQuestion {
  const given = options ?? [];
  const explained = given.flatMap(({ label, description }) =>
    description === null || description === undefined || description.trim() === ""
      ? []
      : [`- ${label}: ${description}`],
  );
  return {
    ...(header === null || header === undefined || header === "" ? {} : { header }),
    question: [question, ...explained].join("\n"),
    options: given.map(({ label }) => label),
    ...(isSecret === true ? { hidden: true as const } : {}),
  };
}
