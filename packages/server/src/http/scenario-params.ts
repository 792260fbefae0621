import type { ScenarioStep } from '@mailhatch/sdk'
import { z } from 'zod'
import { parseRecipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import {
  BYTES_MAX,
  BYTES_PER_SECOND_MIN,
  DELAY_MS_MAX,
  LIMIT_COUNT_MAX,
  PERIOD_MS_MAX,
  REPLY_CHARACTERS_MAX,
  REPLY_CODES,
  STEPS_MAX,
  TIMES_MAX,
} from '../domain/scenario.ts'
import { findMeaningless } from '../domain/step-rules.ts'
import type { ScenarioInput } from '../manage/scenarios.ts'

/** By default long enough for a test. A day is for suites that run over night; a scenario that was forgotten would confuse other tests. */
const EXPIRES_SECONDS = { default: 600, max: 86_400 }
/** The longest path of SMTP: RFC 5321 (4.5.3.1.3), without the angle brackets. */
const ADDRESS_CHARACTERS_MAX = 254

const at = z.enum(['rcpt', 'data', 'after-data']).optional().meta({
  description: 'Where in the SMTP dialogue: at RCPT, at DATA, or when the mail has been sent.',
  example: 'rcpt',
})
const times = z.int().min(1).max(TIMES_MAX).optional().meta({
  description: 'For how many mails the step is used, 1 by default. For `limit`, how many mails it refuses.',
  example: 2,
})
const milliseconds = z.int().min(1).max(PERIOD_MS_MAX)

const steps = [
  z.strictObject({ do: z.literal('accept'), times }),
  z.strictObject({
    do: z.literal('reject'),
    at,
    code: z
      .int()
      .min(REPLY_CODES.min)
      .max(REPLY_CODES.max)
      .meta({ description: 'The code of the reply. After 421, the connection is closed.', example: 451 }),
    enhanced: z
      .string()
      .regex(/^[45]\.\d{1,3}\.\d{1,3}$/, 'must be a status such as 4.3.0')
      .optional()
      .meta({
        description: 'The enhanced status code of the reply, of the same class as the code. `<class>.0.0` by default.',
        example: '4.3.0',
      }),
    text: z
      .string()
      .regex(new RegExp(`^[ -~]{1,${REPLY_CHARACTERS_MAX}}$`), `must be 1 to ${REPLY_CHARACTERS_MAX} ASCII characters`)
      .optional()
      .meta({ description: 'The text of the reply.', example: 'Try again later' }),
    times,
  }),
  z.strictObject({
    do: z.literal('delay'),
    at,
    ms: milliseconds.meta({
      description: `How long to wait before the reply, at most ${DELAY_MS_MAX} ms.`,
      example: 8_000,
    }),
    times,
  }),
  z.strictObject({
    do: z.literal('greylist'),
    ms: milliseconds.meta({
      description:
        'For how long after the first mail all mails are refused with 451. As the last step, it then accepts.',
      example: 30_000,
    }),
  }),
  z.strictObject({
    do: z.literal('limit'),
    count: z.int().min(0).max(LIMIT_COUNT_MAX).meta({
      description: 'How many mails are accepted in any window of `ms`. Refused ones do not count.',
      example: 5,
    }),
    ms: milliseconds.meta({ description: 'The length of the window.', example: 1_000 }),
    times,
  }),
  z.strictObject({
    do: z.literal('cut'),
    at: at.meta({ description: 'Where the connection is closed without a reply, `data` by default.', example: 'data' }),
    afterBytes: z.int().min(1).max(BYTES_MAX).optional().meta({
      description: 'At `data`: not at once, but after this many bytes of the mail.',
      example: 1_000,
    }),
    isStored: z.boolean().optional().meta({
      description:
        'At `after-data`: whether the mail is stored although its sender gets no reply. By default it is not.',
      example: true,
    }),
    times,
  }),
  z.strictObject({
    do: z.literal('slow'),
    bytesPerSecond: z.int().min(BYTES_PER_SECOND_MIN).max(BYTES_MAX).meta({
      description: 'How fast the mail is read. Senders notice it when the buffers of the connection are full.',
      example: 10_000,
    }),
    times,
  }),
] as const

export const scenarioStep = z.discriminatedUnion('do', steps)

/** Body of `POST /v1/scenarios`. */
export const scenarioBody = z
  .strictObject({
    to: z.string().max(ADDRESS_CHARACTERS_MAX).meta({
      description: 'The address, with or without a tag. Your team has to receive its mail.',
      example: 'qa+signup@mailhatch.test',
    }),
    match: z.enum(['exact', 'prefix']).optional().meta({
      description:
        '`exact`: this address only, which is the default. `prefix`: all addresses of the mailbox whose tag begins like this one.',
      example: 'exact',
    }),
    steps: z
      .array(scenarioStep)
      .min(1)
      .meta({
        description: `What happens to the first mail, the next one, and so on. The last step stays. At most ${STEPS_MAX}.`,
        example: [{ do: 'reject', code: 451, times: 2 }, { do: 'accept' }],
      }),
    expiresIn: z
      .int()
      .min(1)
      .max(EXPIRES_SECONDS.max)
      .optional()
      .meta({
        description: `After how many seconds the scenario ends, ${EXPIRES_SECONDS.default} by default.`,
        example: 600,
      }),
  })
  .meta({ id: 'NewScenario' })

/** Throws for a text that is no address, as for one of another team, and for steps that exceed a limit. */
export function toScenarioInput(body: z.output<typeof scenarioBody>): ScenarioInput {
  const { to, match = 'exact', steps, expiresIn = EXPIRES_SECONDS.default } = body
  const recipient = parseRecipient(to)
  if (!recipient) {
    throw new AppError('mailbox_unknown', '`to` is not an address.')
  }
  const problem = findExcess(steps)
  if (problem !== null) {
    throw new AppError('scenario_too_large', problem, { details: { steps: [problem] } })
  }
  const meaningless = findMeaningless(steps)
  if (meaningless !== null) {
    throw new AppError('validation_failed', meaningless, { details: { steps: [meaningless] } })
  }
  return { recipient, match, steps, expiresInMs: expiresIn * 1_000 }
}

function findExcess(steps: ScenarioStep[]): string | null {
  if (steps.length > STEPS_MAX) return `A scenario has at most ${STEPS_MAX} steps.`
  const tooLong = steps.some((step) => step.do === 'delay' && step.ms > DELAY_MS_MAX)
  return tooLong ? `A delay is at most ${DELAY_MS_MAX} ms.` : null
}
