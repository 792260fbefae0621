import {
  isNothing,
  type GivenAnswer,
  type TransitAnswer,
  type TransitQuestion,
  type TransitWatch,
} from '../domain/transit.ts'

/** How often to look into the memory of this process while a question is watched. */
const LOOK_EVERY_MS = 5
/** For how long a question is watched: several times longer than until it is asked again. */
const WATCHED_MS = 1_000
/** Beyond this, questions are not watched, and what they ask about is noticed when they are asked again. */
const WATCHED_MAX = 1_000

/** Notices when the mail that a question was about is no longer on its way, and answers once more. */
export function watchTransit(
  onItsWay: (question: TransitQuestion) => TransitAnswer,
  onEmptied: (answers: GivenAnswer[]) => void,
): TransitWatch {
  const watched = new Map<TransitQuestion, { until: number }>()
  let timer: NodeJS.Timeout | null = null

  function look(): void {
    const emptied: GivenAnswer[] = []
    for (const [question, { until }] of watched) {
      const answer = onItsWay(question)
      if (isNothing(answer)) emptied.push({ ...answer, id: question.id })
      if (isNothing(answer) || performance.now() > until) watched.delete(question)
    }
    if (watched.size === 0) stop()
    if (emptied.length > 0) onEmptied(emptied)
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer)
    timer = null
  }

  return {
    answer(question) {
      const answer = onItsWay(question)
      if (!isNothing(answer) && watched.size < WATCHED_MAX) {
        watched.set(question, { until: performance.now() + WATCHED_MS })
        timer ??= setInterval(look, LOOK_EVERY_MS).unref()
      }
      return { ...answer, id: question.id }
    },
    close() {
      watched.clear()
      stop()
    },
  }
}
