import { expectTypeOf, test } from 'vitest'
import {
  Mailhatch,
  toResult,
  type Email,
  type Inbox,
  type MessageDetail,
  type MessagePage,
  type MessageSummary,
} from './index.ts'

const sdk = new Mailhatch()

test('return types', () => {
  expectTypeOf(sdk.messages.get).returns.resolves.toEqualTypeOf<Email>()
  expectTypeOf<Email>().toExtend<MessageDetail>()
  expectTypeOf<ReturnType<typeof sdk.messages.list>>().resolves.toExtend<MessagePage>()
  expectTypeOf<ReturnType<typeof sdk.messages.list>>().toExtend<AsyncIterable<MessageSummary>>()
  expectTypeOf<Awaited<ReturnType<typeof sdk.messages.list>>>().toExtend<AsyncIterable<MessageSummary>>()
  expectTypeOf<ReturnType<typeof sdk.messages.stream>>().toExtend<AsyncIterable<MessageSummary>>()
  expectTypeOf(sdk.addresses.create).returns.resolves.toEqualTypeOf<Inbox>()
  expectTypeOf<Inbox>().toExtend<AsyncDisposable>()
  expectTypeOf<Email['code']>().returns.toEqualTypeOf<string>()
  expectTypeOf<Email['link']>().returns.toEqualTypeOf<string>()
})

test('parameter types', () => {
  expectTypeOf(sdk.messages.waitFor).parameter(0).toExtend<{ subject?: string | RegExp; hasAttachment?: boolean }>()
  // @ts-expect-error -- the server does not support patterns
  expectTypeOf(sdk.messages.latest).toBeCallableWith({ subject: /code/ })
  // @ts-expect-error -- an inbox has a fixed mailbox
  expectTypeOf<Inbox['waitFor']>().toBeCallableWith({ mailbox: 'qa' })
  // @ts-expect-error -- a filter is required
  expectTypeOf(sdk.messages.deleteMany).toBeCallableWith()
})

test('a result is data or an error', async () => {
  type Outcome = Awaited<ReturnType<typeof toResult<Email>>>
  expectTypeOf<Extract<Outcome, { error: null }>['data']>().toEqualTypeOf<Email>()
  expectTypeOf<Exclude<Outcome, { error: null }>['data']>().toEqualTypeOf<null>()
  expectTypeOf<Exclude<Outcome, { error: null }>['error']['status']>().toEqualTypeOf<number>()
})
