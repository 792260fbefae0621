import { z } from 'zod'
import { json, route } from './route.ts'

/** Short, so that an upgrade shows soon. */
const CACHE = 'public, max-age=60'

export const getHealth = route({
  method: 'get',
  path: '/health',
  access: 'everyone',
  tag: 'Server',
  summary: 'Check that the process is alive',
  description: 'For a supervisor that restarts a process that does not respond.',
  answers: { 200: json('The process is alive.', z.strictObject({ status: z.literal('ok') })) },
  errors: [],
  handle: () => ({ status: 'ok' as const }),
})

export const getReadiness = route({
  method: 'get',
  path: '/ready',
  access: 'everyone',
  tag: 'Server',
  summary: 'Check that the server is ready',
  description: 'For load balancers, and for scripts that wait until the server can receive and return mail.',
  answers: {
    200: json('The server is ready.', z.strictObject({ status: z.literal('ready') })),
    503: json(
      'The server is not ready. `troubles` says why.',
      z.strictObject({
        status: z.literal('not ready'),
        troubles: z.array(z.string()).meta({ example: ['the disk is full'] }),
      }),
    ),
  },
  errors: [],
  async handle({ observe }, { context }) {
    const troubles = await observe.findProblems()
    return troubles.length === 0 ? { status: 'ready' as const } : context.json({ status: 'not ready', troubles }, 503)
  },
})

export const getDocument = route({
  method: 'get',
  path: '/openapi.json',
  access: 'everyone',
  tag: 'Server',
  summary: 'Get the OpenAPI document',
  description: 'The API as OpenAPI 3.1, for client generators and other tools. Any web page may read it.',
  answers: {
    200: json(
      'The document.',
      z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
    ),
  },
  errors: [],
  async handle({ reference }, { context }) {
    // The document is public, and tools in web pages read it.
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
  summary: 'Get the reference page',
  description: 'The OpenAPI document as a web page, without scripts or external resources.',
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
