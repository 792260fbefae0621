import type { PoisonKind } from './poison-token.ts'

/** A mail on which one stage fails in one way. */
export type Poison = { stage: string; kind: PoisonKind }

/** Sent together. `isRestarted`: the program that receives mail is killed meanwhile. `isEnding`: the mail ends the program. */
export type PoisonGroup = { poisons: Poison[]; isRestarted: boolean; isEnding?: true }

const KINDS = ['throw', 'hang', 'memory'] satisfies PoisonKind[]
/** More mails that keep failing have a common cause, unless much other mail is accepted. */
const TOGETHER = 4
/** Its only wait is the request, which has a deadline. */
const WITHOUT_WAIT = 'worker/announce-stored.announce'

/** As the program prints it when the stage fails. */
export function nameOf({ stage, kind }: Poison): string {
  return `${stage} ${kind}`
}

/**
 * Each stage throws, each that waits never responds, and each in the parser's thread also blocks it and runs out of memory.
 * What ends the program takes long, so each installation tries half of that: `half` says which.
 */
export function everyStage(stages: string[], { seed, half }: { seed: number; half: 0 | 1 }) {
  const gentle: Poison[] = [
    ...stages.map((stage): Poison => ({ stage, kind: 'throw' })),
    ...stages.filter((stage) => isWaiting(stage) || inThread(stage)).map((stage): Poison => ({ stage, kind: 'hang' })),
    ...stages.filter(inThread).map((stage): Poison => ({ stage, kind: 'memory' })),
  ]
  const ending = stages
    .filter((stage) => !inThread(stage))
    .flatMap((stage, index) => endingAt(stage, (index + seed) % 2 === half))
  return {
    gentle: Array.from({ length: Math.ceil(gentle.length / TOGETHER) }, (_, index): PoisonGroup => {
      return { poisons: gentle.slice(index * TOGETHER, (index + 1) * TOGETHER), isRestarted: index % 2 === 1 }
    }),
    /** Each ends a program, so each is a group of its own. */
    ending: ending.map((poison): PoisonGroup => ({ poisons: [poison], isRestarted: false, isEnding: true })),
  }
}

/** The combinations of stage and kind that an installation does not try. */
export function omittedFrom(stages: string[], tried: Poison[]) {
  const names = new Set(tried.map(nameOf))
  const all = stages.flatMap((stage) => KINDS.map((kind): Poison => ({ stage, kind })))
  const omitted = all.filter((poison) => !names.has(nameOf(poison)))
  const isPossible = ({ stage, kind }: Poison) => stage !== WITHOUT_WAIT || kind !== 'hang'
  return {
    all: all.length,
    /** Tried in the other installation. */
    elsewhere: omitted.filter(isPossible).map(nameOf),
    /** Tried in neither. */
    nowhere: omitted.filter((poison) => !isPossible(poison)).map(nameOf),
  }
}

/** A stage in the main thread blocks it or exhausts its memory. One that waits only exhausts the memory: its hang blocks nothing. */
function endingAt(stage: string, isFirstHalf: boolean): Poison[] {
  if (!isWaiting(stage) && stage !== WITHOUT_WAIT) return [{ stage, kind: isFirstHalf ? 'hang' : 'memory' }]
  return isFirstHalf ? [{ stage, kind: 'memory' }] : []
}

function isWaiting(stage: string): boolean {
  return stage.startsWith('store.') || /\.(?:intake|newMessage|newEvent)$/.test(stage)
}

function inThread(stage: string): boolean {
  return stage.startsWith('mime/parse-thread')
}
