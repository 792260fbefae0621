type FailedSeed = {
  part: 'mails' | 'smtp' | 'requests'
  seed: number
  /** Of the mail, dialogue or request. */
  number: number
  why: string
  /** Takes seconds to generate, so only `npm run test:long` replays it. */
  isSlow?: true
}

/**
 * Items that failed in a run, or the first of a kind that did. Replayed by hostile/mail-grammar.test.ts,
 * hostile/smtp-dialogues.test.ts, fuzz.test.ts and hostile/slow-seeds.long.test.ts.
 */
const FAILED_SEEDS: FailedSeed[] = [
  {
    part: 'mails',
    seed: 647_722_268,
    number: 1_266,
    why: 'its 94.6 MB end the connection, and the run took that for the end of the server',
    isSlow: true,
  },
  {
    part: 'mails',
    seed: 1,
    number: 839,
    why: 'its page of HTML is shorter than the beginning of the page, which the generator could not make',
  },
  {
    part: 'smtp',
    seed: 647_722_268,
    number: 6,
    why: 'the client did not connect again without the attacker, so there was no dialogue after TLS',
  },
]

export function seedsOf(part: FailedSeed['part'], { isSlow = false } = {}): FailedSeed[] {
  return FAILED_SEEDS.filter((one) => one.part === part && (one.isSlow ?? false) === isSlow)
}
