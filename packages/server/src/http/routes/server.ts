import { z } from 'zod'
import { json, route } from './route.ts'

/** Long enough for a page that loads it twice, short enough that an upgrade is seen. */
const CACHE = 'public, max-age=60'

export const getHealth = route({
  method: 'get',
  path: '/health',
  access: 'everyone',
  tag: 'Server',
  summary: 'Is the process alive',
  description: 'For a supervisor that restarts what does not answer.',
  answers: { 200: json('It is.', z.strictObject({ status: z.literal('ok') })) },
  errors: [],
  handle: () => ({ status: 'ok' as const }),
})

export const getReadiness = route({
  method: 'get',
  path: '/ready',
  access: 'everyone',
  tag: 'Server',
  summary: 'Can mail be taken in and read',
  description: 'For a load balancer, and for scripts that wait until the server is up.',
  answers: {
    200: json('It can.', z.strictObject({ status: z.literal('ready') })),
    503: json(
      'It cannot, and why.',
      z.strictObject({
        status: z.literal('not ready'),
        troubles: z.array(z.string()).meta({ example: ['the disk is full'] }),
      }),
    ),
  },
  errors: [],
  async handle({ findTroubles }, { context }) {
    const troubles = await findTroubles()
    return troubles.length === 0 ? { status: 'ready' as const } : context.json({ status: 'not ready', troubles }, 503)
  },
})

export const getDocument = route({
  method: 'get',
  path: '/openapi.json',
  access: 'everyone',
  tag: 'Server',
  summary: 'This API as OpenAPI 3.1',
  description: 'For client generators and tools; readable from any web page.',
  answers: {
    200: json(
      'The document.',
      z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
    ),
  },
  errors: [],
  async handle({ reference }, { context }) {
    // It holds nothing that is not public, and tools in web pages want to read it.
    return context.body(await reference.json(), 200, {
      'content-type': 'application/json',
      'cache-control': CACHE,
      'access-control-allow-origin': '*',
    })
  },
})

export const getReference = route({
  method: 'get',
  path: '/docs',
  access: 'everyone',
  tag: 'Server',
  summary: 'This API as a page to read',
  description: 'Made from the same document; needs no script and no network.',
  answers: { 200: { description: 'The page.', contentType: 'text/html' } },
  errors: [],
  async handle({ reference }, { context }) {
    const { html, policy } = await reference.page(new URL(context.req.url).origin)
    return context.body(html, 200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': CACHE,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  },
})
