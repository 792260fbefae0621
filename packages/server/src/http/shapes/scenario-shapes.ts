import type { Scenario } from '@mailhatch/sdk'
import { z } from 'zod'
import { scenarioStep } from '../scenario-params.ts'
import { count, id, shapeOf, text, time } from './shape-parts.ts'

export const scenario = shapeOf<Scenario>()(
  z.strictObject({
    id,
    to: text('The address.', 'qa+signup@mailhatch.test'),
    match: z
      .enum(['exact', 'prefix'])
      .meta({ description: 'Whether other tags that begin like this one belong to it.' }),
    steps: z.array(scenarioStep),
    nextStep: count.meta({ description: 'The step that the next mail gets, counted from 0.', example: 0 }),
    timesUsed: count.meta({ description: 'How often that step was used.', example: 1 }),
    mails: count.meta({ description: 'How many mails have got a step.', example: 1 }),
    mailsPerStep: z.array(count).meta({ description: 'How many mails each step has got.', example: [1, 0] }),
    createdAt: time,
    expiresAt: time.meta({ description: 'When the scenario ends. From then on, mail is accepted as usual.' }),
  }),
).meta({ description: 'A script for the mail to an address.' })

const NONE = { do: z.literal('accept') }

/** What the SMTP server does with one mail. */
export const action = z.discriminatedUnion('do', [
  z.strictObject(NONE),
  z.strictObject({ do: z.literal('reject'), at: z.enum(['rcpt', 'data', 'after-data']), reply: z.string() }),
  z.strictObject({ do: z.literal('delay'), at: z.enum(['rcpt', 'data', 'after-data']), ms: count }),
  z.strictObject({
    do: z.literal('cut'),
    at: z.enum(['rcpt', 'data', 'after-data']),
    afterBytes: count.nullable(),
    isStored: z.boolean(),
  }),
  z.strictObject({ do: z.literal('slow'), bytesPerSecond: count }),
])

export const knownScript = z.strictObject({
  teamId: z.string(),
  id,
  domain: z.string(),
  mailbox: z.string(),
  tag: z.string().nullable(),
  match: z.enum(['exact', 'prefix']),
})
