import { describe, expect, test } from 'vitest'
import {
  cutDuring,
  delay,
  greylist,
  limit,
  Mailhatch,
  reject,
  slow,
  type Inbox,
  type MailhatchOptions,
} from '../src/index.ts'
import { inboxOfTest, type TestInbox } from '../src/test-inbox.ts'
import { verifyWebhook } from '../src/webhook.ts'
import { startFakeServer, success } from './support/fake-server.ts'

/** As a program without types sees it. */
type Untyped<Typed> = {
  [Name in keyof Typed]: Typed[Name] extends (...given: never[]) => infer Result
    ? (...given: unknown[]) => Result
    : Untyped<Typed[Name]>
}

/** These tests pass what the types refuse. */
const untyped = <Typed>(typed: Typed) => typed as Untyped<Typed>
const steps = untyped({
  cutDuring,
  delay,
  greylist,
  limit,
  reject,
  slow,
  client: (options: MailhatchOptions) => new Mailhatch(options),
})

type Given = { sdk: Untyped<Mailhatch>; inbox: Untyped<Inbox>; testInbox: Untyped<TestInbox> }
type Case = [name: string, call: (given: Given) => unknown, error: RegExp]

const ME = success({
  data: { key: { mailbox: 'qa' }, team: { domain: 'mailhatch.test' }, cursor: 'c0', messageCount: 0 },
})

async function start(): Promise<Given & { countRequests: () => number }> {
  const { sdk, requests } = await startFakeServer([ME])
  const inbox: Inbox = await sdk.addresses.create()
  const testInbox = inboxOfTest(inbox, { leftMs: () => Infinity, timeoutMs: undefined })
  const before = requests.length
  return {
    sdk: untyped(sdk),
    inbox: untyped(inbox),
    testInbox: untyped(testInbox),
    countRequests: () => requests.length - before,
  }
}

describe('a wrong value is refused before anything is requested:', () => {
  test.each<Case>([
    ...[undefined, NaN, -1, 1.5, '2', {}, Infinity].flatMap((count): Case[] => [
      [
        `waitForCount(${JSON.stringify(count)})`,
        ({ inbox }) => inbox.waitForCount(count),
        /count of waitForCount is a whole/,
      ],
      [
        `expectExactly(${JSON.stringify(count)})`,
        ({ inbox }) => inbox.expectExactly(count),
        /count of expectExactly is a w/,
      ],
    ]),
    ...[NaN, -1, 'soon', {}, null].flatMap((time): Case[] => [
      [
        `within ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.expectNone({ within: time }),
        /`within` of expectNone is a n/,
      ],
      [
        `expectNone ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.expectNone({ timeout: time }),
        /`timeout` of expectNone/,
      ],
      [
        `waitFor ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.waitFor({}, { timeout: time }),
        /`timeout` of waitFor is a/,
      ],
      [
        `interval ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.waitFor({}, { interval: time }),
        /`interval` of waitFor/,
      ],
      [
        `quiet ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.settled({ quiet: time }),
        /`quiet` of settled is a number of/,
      ],
      [
        `settled ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.settled({ timeout: time }),
        /`timeout` of settled is a num/,
      ],
      [`count ${JSON.stringify(time)}`, ({ inbox }) => inbox.waitForCount(1, {}, { timeout: time }), /of waitForCount/],
      [
        `exactly ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.expectExactly(1, {}, { quiet: time }),
        /`quiet` of expectExact/,
      ],
      [
        `all ${JSON.stringify(time)}`,
        ({ inbox }) => inbox.waitForAll({}, { timeout: time }),
        /`timeout` of waitForAll/,
      ],
      [
        `messages ${JSON.stringify(time)}`,
        ({ sdk }) => sdk.messages.waitFor({}, { timeout: time }),
        /`timeout` of waitFor/,
      ],
      [
        `request ${JSON.stringify(time)}`,
        ({ sdk }) => sdk.messages.get('1', { timeout: time }),
        /`timeout` of a request/,
      ],
    ]),
    ['a quiet time over the maximum', ({ inbox }) => inbox.settled({ quiet: '30s' }), /at most 20 seconds, not 30s/],
    ['a timeout of a month', ({ sdk }) => sdk.me({ timeout: 2 ** 31 }), /at most 2147483647/],
    ['waitFor 5000', ({ inbox }) => inbox.waitFor({}, 5_000), /The options of waitFor are an object, not 5000/],
    ['get 5000', ({ sdk }) => sdk.messages.get('1', 5_000), /The options of a request are an object, not 5000/],
    ['a number in a kit', ({ testInbox }) => testInbox.waitFor({}, 5_000), /options of waitFor are an object/],
    ['a number for expectNone in a kit', ({ testInbox }) => testInbox.expectNone(500), /are an object, not 500/],
    ['a text to match', ({ inbox }) => inbox.waitFor('Welcome'), /What to wait for is an object.*not "Welcome"/],
    ['null to match', ({ inbox }) => inbox.waitForCount(1, null), /What to wait for is an object.*not null/],
    [
      'settled quite',
      ({ inbox }) => inbox.settled({ quite: '1s' }),
      /settled has no option "quite"\. Its options are quiet/,
    ],
    ['waitFor timout', ({ inbox }) => inbox.waitFor({}, { timout: 5 }), /waitFor has no option "timout"/],
    [
      'waitForCount timout',
      ({ inbox }) => inbox.waitForCount(0, {}, { timout: 5 }),
      /waitForCount has no option "timout"/,
    ],
    [
      'expectExactly quite',
      ({ inbox }) => inbox.expectExactly(0, {}, { quite: 5 }),
      /expectExactly has no option "quite"/,
    ],
    ['waitForAll quite', ({ inbox }) => inbox.waitForAll({}, { quite: 5 }), /waitForAll has no option "quite"/],
    ['waitForAll subjet', ({ inbox }) => inbox.waitForAll({ subjet: 'x' }), /cannot be matched by "subjet"/],
    ['no mail that matches subjet', ({ inbox }) => inbox.expectExactly(0, { subjet: 'x' }), /matched by "subjet"/],
    ['expectNone quite', ({ inbox }) => inbox.expectNone({ quite: '1s' }), /cannot be matched by "quite"/],
    ['script expires', ({ inbox }) => inbox.script([reject(451)], { expires: 5 }), /script has no option "expires"/],
    ['script prefix', ({ inbox }) => inbox.script([reject(451)], { match: 'prefx' }), /'exact', 'prefix', not 'prefx'/],
    [
      'script 10m',
      ({ inbox }) => inbox.script([reject(451)], { expiresIn: '10m' }),
      /`expiresIn` of script is a whole/,
    ],
    ['one step', ({ inbox }) => inbox.script(reject(451)), /The steps of a script are an array/],
    ['a function as a step', ({ inbox }) => inbox.script([reject]), /The steps of a script are an array/],
    ['request timout', ({ sdk }) => sdk.mailboxes.list({}, { timout: 5 }), /a request has no option "timout"/],
    ['stream sginal', ({ sdk }) => sdk.messages.stream({}, { sginal: 5 }), /stream has no option "sginal"/],
    ['address prefx', ({ sdk }) => sdk.addresses.create({ prefx: 'a' }), /addresses.create has no option "prefx"/],
    ['wait NaN', ({ sdk }) => sdk.messages.settled({ mailbox: 'qa', wait: NaN }), /`wait`, the seconds/],
  ])('%s', async (_, call, expected) => {
    const given = await start()
    const error: unknown = await Promise.resolve()
      .then(() => call(given))
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(expected)
    expect(given.countRequests()).toBe(0)
  })

  test.each<[string, () => unknown, RegExp]>([
    ['delay()', () => steps.delay(), /The duration of delay\(\) is a number of milliseconds/],
    ['delay(-1)', () => delay(-1), /The duration of delay\(\)/],
    ['delay(0)', () => delay(0), /The duration of delay\(\), in milliseconds, is a whole number, not below 1, not 0/],
    ['delay at', () => steps.delay('1s', { at: 'mail' }), /`at` of delay\(\) is one of 'rcpt'/],
    ['greylist()', () => steps.greylist(), /The duration of greylist\(\)/],
    ['limit(5)', () => steps.limit(5), /The duration of limit\(\)/],
    ['limit(NaN)', () => limit(NaN, '1s'), /The count of limit\(\) is a whole number, not below 0, not NaN/],
    ['slow()', () => steps.slow(), /The bytes per second of slow\(\)/],
    ['reject()', () => steps.reject(), /The code of reject\(\) is a whole number, not below 1, not undefined/],
    ['reject txt', () => steps.reject(451, { txt: 'x' }), /reject\(\) has no option "txt"/],
    ['cutDuring()', () => steps.cutDuring(), /The stage of cutDuring\(\)/],
    ['cutDuring bytes', () => cutDuring('data', { afterBytes: 0.5 }), /`afterBytes` of cutDuring\(\)/],
    ['times()', () => untyped(reject(451)).times(), /The count of times\(\) is a whole number, not below 1/],
    ['retries', () => new Mailhatch({ retries: NaN }), /`retries` of new Mailhatch\(\)/],
  ])('%s', (_, call, expected) => {
    expect(call).toThrow(TypeError)
    expect(call).toThrow(expected)
  })

  test('a signature with an age that is not a number', async () => {
    const received = { secret: 'whsec_eA==', body: '', headers: {}, toleranceSeconds: NaN }
    await expect(verifyWebhook(received)).rejects.toThrow(/`toleranceSeconds` of verifyWebhook is a number/)
  })
})

test('every duration may be a text', async () => {
  const { sdk } = await startFakeServer([
    ME,
    { status: 404, body: JSON.stringify({ error: 'No', code: 'message_not_found', requestId: '' }) },
  ])
  await sdk.me({ timeout: '5s' })
  const wait = sdk.messages.waitFor({ mailbox: 'qa' }, { timeout: '20ms', interval: '5ms' })
  await expect(wait).rejects.toThrow('within 20 ms.')
})
