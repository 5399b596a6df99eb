import type { OpenQuestion } from "../../../contracts/chat/questions.js";
import { useServices } from "../services.js";
import { ApprovalCard } from "./approval-card.js";
import { ClarifyCard } from "./clarify-card.js";
import { FormCard } from "./form-card.js";
import { HiddenCard } from "./hidden-card.js";

/** A question that waits for a person. */
export function QuestionCard({ question }: { question: OpenQuestion }) {
  const { rpc, failed } = useServices();
  const answer = (method: string, given: Readonly<Record<string, unknown>>): void => {
    rpc.call(method, { request: question.request, ...given }).catch(failed);
  };
  switch (question.kind) {
    case "approval":
      return <ApprovalCard asked={question.data} answer={(given) => answer("approval.respond", given)} />;
    case "clarify":
      return <ClarifyCard asked={question.data} answer={(text) => answer("clarify.respond", { answer: text })} />;
    case "form":
      return <FormCard asked={question.data} answer={(given) => answer("form.respond", { ...given })} />;
    case "password":
    case "secret":
      return <HiddenCard asked={question.data} answer={(value) => answer(`${question.kind}.respond`, { value })} />;
  }
}
