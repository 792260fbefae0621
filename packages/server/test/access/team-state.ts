import { createTRPCClient, httpBatchLink } from '@trpc/client'
import type { AppRouter } from '../../src/http/rpc/router.ts'
import type { Credentials } from './acts-first.ts'

type Callers = Record<'owner' | 'member' | 'operator', { headers: Credentials }>

/**
 * Reads what a team can see of itself, as one text per subject. Without the deliveries of messages, which are attempted in
 * the background, and without the last uses of keys, which a refused call may record.
 */
export function teamStateReader(url: string, { owner, member, operator }: Callers) {
  // Queries of the same moment are one request.
  const callsOf = ({ headers }: Callers['owner']) =>
    createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: `${url}/trpc`, headers })] })
  const { team, inbox, apiKeys, webhooks, scenarios, user } = callsOf(owner)
  const [asMember, asOperator] = [callsOf(member), callsOf(operator)]

  async function testDeliveries(): Promise<object[]> {
    const endpoints = await webhooks.list.query()
    const deliveries = await Promise.all(endpoints.map(({ id }) => webhooks.deliveries.query({ id })))
    return deliveries.flat().filter(({ messageId }) => messageId === null)
  }

  return async (): Promise<Record<string, string>> => {
    const subjects = {
      team: team.current.query(),
      members: team.members.query(),
      invites: team.invites.query(),
      settings: inbox.settings.get.query(),
      mailboxes: inbox.mailboxes.list.query(),
      messages: inbox.messages.count.query({}),
      'read marks': inbox.readMarks.counts.query(),
      keys: apiKeys.list.query().then((keys) => keys.map(({ lastUsedAt: _use, ...key }) => key)),
      scenarios: scenarios.list.query(),
      endpoints: webhooks.list.query(),
      deliveries: testDeliveries(),
      owner: user.me.query(),
      member: asMember.user.me.query(),
      'caught domains': asOperator.inbox.caught.list.query(),
    }
    const read = Object.entries(subjects).map(async ([name, subject]) => {
      // Some controls confuse the callers, and then these are refused as well.
      const found: unknown = await subject.catch(String)
      return [name, JSON.stringify(found)]
    })
    return Object.fromEntries(await Promise.all(read))
  }
}

/** The subjects in which two states differ. */
export function changesBetween(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys(before).filter((name) => before[name] !== after[name])
}
