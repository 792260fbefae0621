import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { PathParameter } from './route.ts'
import { data, route } from './route.ts'

const DECLARED = {
  method: 'get',
  path: '/v1/ping',
  tag: 'Server',
  summary: 'Ping',
  description: 'Responds.',
  answers: { 200: data('Yes.', z.strictObject({ name: z.string() })) },
  errors: [],
} as const

const handle = () => ({ data: { name: 'pong' } })

/** The compiler checks these lines: a missing error is an error. */
test('a declaration with a missing part or another result does not compile', () => {
  expect(route({ ...DECLARED, errors: [], access: 'any scope', handle }).access).toBe('any scope')
  // @ts-expect-error -- no access
  route({ ...DECLARED, errors: [], handle })
  // @ts-expect-error -- an access that does not exist
  route({ ...DECLARED, errors: [], access: 'unknown', handle })
  // @ts-expect-error -- undefined is not an access
  route({ ...DECLARED, errors: [], access: undefined, handle })
  // @ts-expect-error -- a code that does not exist
  route({ ...DECLARED, errors: ['no_such_code'], access: 'everyone', handle })
  // @ts-expect-error -- a body that is not the declared one
  route({ ...DECLARED, errors: [], access: 'everyone', handle: () => ({ data: { name: 1 } }) })
})

const id: PathParameter<number> = {
  description: 'A number.',
  example: '1',
  read(text) {
    if (!/^\d+$/.test(text)) throw new AppError('not_found', 'Not found')
    return Number(text)
  },
}

test('a handler gets the types of its schemas', () => {
  route({
    ...DECLARED,
    errors: [],
    path: '/v1/ping/{id}',
    access: 'api.full',
    params: { id },
    query: z.object({ since: z.string().transform(Number).optional() }),
    body: z.object({ name: z.string() }),
    validate: (_, { body }) => ({ shown: body.name.length }),
    handle(_, { params, query, body, input, principal }) {
      expectTypeOf(params).toEqualTypeOf<{ id: number }>()
      expectTypeOf(query).toEqualTypeOf<{ since?: number | undefined }>()
      expectTypeOf(input).toEqualTypeOf<{ shown: number }>()
      expectTypeOf(principal.team.id).toEqualTypeOf<string>()
      return { data: body }
    },
  })
  route({
    ...DECLARED,
    errors: [],
    access: 'everyone',
    handle(_, { principal, query }) {
      expectTypeOf(principal).toEqualTypeOf<null>()
      expectTypeOf(query).toEqualTypeOf<undefined>()
      return { data: { name: 'pong' } }
    },
  })
})
