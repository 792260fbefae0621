import { z } from 'zod'
import { formatCursor } from '../../domain/cursor.ts'
import { oldestVisible, retentionDays } from '../../domain/plans.ts'
import { rotateKey } from '../../manage/keys.ts'
import { presentKey } from '../present.ts'
import { apiKey, me } from '../shapes/shapes.ts'
import { text } from '../shapes/shape-parts.ts'
import { data, route } from './route.ts'

export const getMe = route({
  method: 'get',
  path: '/v1/me',
  access: 'any scope',
  tag: 'Keys',
  summary: 'Get the calling key and the newest cursor',
  description:
    'Returns the team and the calling key. Pass `cursor` as `after` to wait for messages that arrive from now on.',
  answers: { 200: data('Team, key and cursor.', me) },
  errors: [],
  async handle({ store, site, now }, { principal }) {
    const { team, mailbox, keyId, keyName, scopes } = principal
    return {
      data: {
        team: {
          id: team.id,
          name: team.name,
          plan: team.plan,
          retentionDays: retentionDays(team),
          domain: team.domain ?? site.rootDomain,
        },
        key: { id: keyId, name: keyName, scopes, mailbox: mailbox?.name ?? null },
        messageCount: await store.countMessages({
          teamId: team.id,
          oldestReceivedAt: oldestVisible(team, now()),
          filter: mailbox ? { mailboxId: mailbox.id } : {},
        }),
        cursor: formatCursor(await store.newestPosition(team.id)),
      },
    }
  },
})

export const rotateApiKey = route({
  method: 'post',
  path: '/v1/api-keys/rotate',
  access: 'api.full',
  tag: 'Keys',
  summary: 'Replace the calling key',
  description:
    'Replaces the value of the calling key. The new value is shown only once, and the old one stops working immediately.',
  answers: {
    200: data(
      'The new key.',
      z.strictObject({ key: text('The new value of the key. Shown only once.', 'mh_4ZkT…'), apiKey }),
    ),
  },
  errors: [],
  async handle(ports, { principal }) {
    const { key, masked } = await rotateKey(ports.keys, principal)
    // Ends streams of the old value now instead of at the next check.
    ports.keys.endKey(principal.keyId)
    const { keyId: id, keyName: name, scopes, mailbox, expiresAt } = principal
    return {
      data: { key, apiKey: presentKey({ id, name, masked, scopes, mailboxName: mailbox?.name ?? null, expiresAt }) },
    }
  },
})
