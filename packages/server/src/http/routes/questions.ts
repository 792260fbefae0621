import { z } from 'zod'
import { WORKER_ID } from '../../domain/transit.ts'
import { onItsWay } from '../shapes/settled-shapes.ts'
import { count, text } from '../shapes/shape-parts.ts'
import { onGone } from '../search-view.ts'
import { json, route } from './route.ts'

const HOLD_MS_MAX = 30_000
const QUESTIONS_MAX = 1_000
const ID_CHARACTERS_MAX = 64

const questionId = z.string().max(ID_CHARACTERS_MAX)

export const pollQuestions = route({
  method: 'post',
  path: '/webhooks/inbox/questions',
  access: 'webhook secret',
  tag: 'Inbound',
  summary: 'Answer questions about mail on its way',
  description:
    'The inbox worker always has one such request open. The response is held until the API asks which mail the worker has for an address, at most for `holdMs`. The next request has the answers.',
  body: z
    .object({
      worker: z.string().regex(WORKER_ID).meta({ description: 'Id of the worker.', example: '3f1c9a7e5b2d4860' }),
      holdMs: z.number().min(0).max(HOLD_MS_MAX),
      answers: z
        .array(z.object({ id: questionId, ...onItsWay.shape, setAside: count, isComplete: z.boolean() }))
        .max(QUESTIONS_MAX),
      isLeaving: z
        .boolean()
        .optional()
        .meta({ description: 'Whether the worker stops, and has no mail left.', example: false }),
    })
    .meta({ id: 'WorkerAnswers' }),
  answers: {
    200: json(
      'Questions. Empty if there are none.',
      z.strictObject({
        questions: z.array(
          z.strictObject({
            id: questionId,
            domain: text('Domain of the addresses.', 'mailhatch.test'),
            mailbox: text('Their mailbox.', 'qa'),
            tags: z.array(z.string()).nullable().meta({ description: 'Null for all tags.' }),
          }),
        ),
      }),
    ),
  },
  errors: ['validation_failed', 'payload_too_large', 'unsupported_media_type', 'shutting_down'],
  async handle({ inbound: { exchange } }, { body: { isLeaving = false, ...poll }, context }) {
    if (!isLeaving) return { questions: await exchange.poll({ ...poll, onGone: onGone(context) }) }
    await exchange.leave(poll.worker)
    return { questions: [] }
  },
})
