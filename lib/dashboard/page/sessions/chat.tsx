import { QuestionCard } from "../questions/question-card.js";
import { useStore } from "../state/use-store.js";
import { TranscriptView } from "../transcript/transcript-view.js";
import { useTranscript } from "../transcript/use-transcript.js";
import { ChatHead } from "./chat-head.js";
import { Composer } from "./composer.js";

/** One conversation: what was said, what is asked, and a field to say more. */
export function Chat({ id }: { id: string }) {
  const conversation = useTranscript(id, "answers");
  const questions = useStore(conversation.questions, (now) => now);
  return (
    <section class="chat" aria-label="Conversation">
      <ChatHead id={id} conversation={conversation} />
      <TranscriptView conversation={conversation} />
      {questions.length > 0 && (
        <div class="questions">
          {questions.map((question) => (
            <QuestionCard key={question.request} question={question} />
          ))}
        </div>
      )}
      <Composer conversation={conversation} />
    </section>
  );
}
