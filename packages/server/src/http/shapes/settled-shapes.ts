import type { SettledState } from '@mailhatch/sdk'
import { z } from 'zod'
import { count, shapeOf, textOrNull, time } from './shape-parts.ts'
import { messageSummary } from './shapes.ts'

export const counted = z.strictObject({
  count: count.meta({ description: 'How many messages match.', example: 2 }),
  isExact: z.boolean().meta({ description: 'False if there are more. With a filter, at most 2,000 are counted.' }),
})

export const onItsWay = z.strictObject({
  transactions: count.meta({ description: 'Open SMTP transactions, from RCPT on.', example: 0 }),
  waiting: count.meta({ description: 'Mail that a worker has stored and will announce.', example: 0 }),
  announcing: count.meta({ description: 'Mail that is announced, and not confirmed yet.', example: 0 }),
})

export const settledState = shapeOf<SettledState>()(
  z.strictObject({
    settled: z.boolean().meta({ description: 'Whether nothing is on its way, and nothing came for the quiet time.' }),
    asOf: time.meta({ description: 'All mail that had reached the mail server by then, at RCPT, was looked at.' }),
    ...counted.shape,
    messages: z.array(messageSummary).meta({ description: 'The first 50 of them, in order of arrival.' }),
    onItsWay: onItsWay.meta({ description: 'Mail that is no message yet. Some may be counted in two of the stages.' }),
    setAside: count.meta({
      description:
        'Mail that failed because of its content. It is not on its way: only an operator can announce it again.',
      example: 0,
    }),
    unknown: z
      .array(
        z.strictObject({
          worker: textOrNull('Id of the worker that it is about.', '3f1c9a7e5b2d4860'),
          reason: z.enum([
            'worker_silent',
            'worker_searching',
            'worker_unasked',
            'no_worker',
            'starting',
            'replicas_unreachable',
          ]),
        }),
      )
      .meta({
        description: 'What the server cannot know. Only `worker_unasked` and `no_worker` do not prevent `settled`.',
      }),
  }),
).meta({ description: 'Whether all mail for an address has arrived.' })
