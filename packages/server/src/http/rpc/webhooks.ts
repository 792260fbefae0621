import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import {
  changeEndpoint,
  createEndpoint,
  listDeliveries,
  removeEndpoint,
  replayDelivery,
  replayFailed,
  rotateEndpointSecret,
  testEndpoint,
} from '../../manage/endpoints.ts'
import type { Attempt } from '../../store/webhooks.ts'
import { isoTime, presentDelivery, presentEndpoint } from '../present.ts'
import { endpointBody, endpointChangeBody, toChange, toEndpointInput } from '../webhook-params.ts'
import { id } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

const DELIVERIES_MAX = 100
const DELIVERIES_DEFAULT = 50
/** Replays add attempts without limit, and each may have a kilobyte of a response. */
const ATTEMPTS_MAX = 100

export function webhooksRouter(ports: RpcPorts) {
  return router({
    list: procedure('members').query(async ({ ctx: { team } }) =>
      (await ports.store.listEndpoints(team.id)).map(presentEndpoint),
    ),

    /** `secret` is shown only once. */
    create: procedure('owners')
      .input(endpointBody.transform((body) => toEndpointInput(ports.webhooks, body)))
      .mutation(async ({ ctx: { team }, input }) => {
        const { endpoint, secret } = await createEndpoint(ports.webhooks, team, input)
        return { endpoint: presentEndpoint(endpoint), secret }
      }),

    update: procedure('owners')
      .input(
        endpointChangeBody
          .and(z.object({ id }))
          .transform((body) => ({ id: body.id, change: toChange(ports.webhooks, body) })),
      )
      .mutation(async ({ ctx: { team }, input }) =>
        presentEndpoint(await changeEndpoint(ports.webhooks, { teamId: team.id, id: input.id }, input.change)),
      ),

    toggle: procedure('owners')
      .input(z.object({ id, active: z.boolean() }))
      .mutation(async ({ ctx: { team }, input: { id: endpointId, active } }) =>
        presentEndpoint(
          await changeEndpoint(ports.webhooks, { teamId: team.id, id: endpointId }, { isActive: active }),
        ),
      ),

    delete: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => {
        await removeEndpoint(ports.webhooks, { teamId: team.id, id: input.id })
        return { id: input.id }
      }),

    /** The old secret also signs for a day. The new one is shown only once. */
    rotateSecret: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => ({
        secret: await rotateEndpointSecret(ports.webhooks, { teamId: team.id, id: input.id }),
      })),

    deliveries: procedure('members')
      .input(
        z.object({
          id,
          limit: z.number().int().min(1).max(DELIVERIES_MAX).default(DELIVERIES_DEFAULT),
          offset: z.number().int().min(0).default(0),
          status: z.enum(['pending', 'success', 'failed']).nullish(),
        }),
      )
      .query(async ({ ctx: { team }, input: { id: endpointId, limit, offset, status } }) => {
        const page = { limit, offset, status: status ?? null }
        return (await listDeliveries(ports.webhooks, { teamId: team.id, id: endpointId }, page)).map(presentDelivery)
      }),

    /** The attempts, newest first, and the body that was posted. */
    attempts: procedure('members')
      .input(z.object({ id, deliveryId: id }))
      .query(async ({ ctx: { team }, input }) => {
        const endpoint = await ports.store.findEndpoint({ teamId: team.id, id: input.id })
        const where = endpoint && { teamId: team.id, endpointId: endpoint.id, id: input.deliveryId }
        const requestBody = where && (await ports.store.findDeliveryBody(where))
        if (requestBody === null) throw new AppError('not_found', 'Not found')
        const attempts = await ports.store.listAttempts({ teamId: team.id, id: input.deliveryId })
        return { requestBody, attempts: attempts.slice(-ATTEMPTS_MAX).toReversed().map(presentAttempt) }
      }),

    test: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) =>
        presentDelivery(await testEndpoint(ports.webhooks, team, input.id)),
      ),

    replay: procedure('owners')
      .input(z.object({ id, deliveryId: id }))
      .mutation(async ({ ctx: { team }, input }) =>
        presentDelivery(await replayDelivery(ports.webhooks, { teamId: team.id, id: input.id }, input.deliveryId)),
      ),

    replayFailed: procedure('owners')
      .input(z.object({ id }))
      .mutation(async ({ ctx: { team }, input }) => ({
        replayed: await replayFailed(ports.webhooks, { teamId: team.id, id: input.id }),
      })),
  })
}

function presentAttempt({ at, httpStatus, responseBody, latencyMs, error }: Attempt) {
  return { at: isoTime(at), httpStatus, responseBody, latencyMs, error }
}
