import { expect, test } from 'vitest'
import { describeStatus } from './describe-database.ts'

test('the status of a cluster names its nodes with their sizes, and the largest team', () => {
  const counts = { teams: 2, mailboxes: 3, keys: 1, messages: 12, missing: 0, unindexed: 0 }
  const nodes = [
    { name: '10.0.0.2:5432', bytes: 12_000_000_000 },
    { name: '10.0.0.3:5432', bytes: 900_000_000 },
  ]
  const largestTeam = { id: 'b', name: 'Checkout', messages: 7 }
  expect(
    describeStatus({ schema: 15, newestSchema: 15, isFinishOpen: false, counts, cluster: { nodes, largestTeam } }),
  ).toEqual([
    'schema 15, up to date',
    '2 teams, 3 mailboxes, 1 key, 12 messages',
    'teams on 2 nodes: 10.0.0.2:5432 (12 GB), 10.0.0.3:5432 (900 MB)',
    'largest team: Checkout, 7 messages',
    'text index up to date',
  ])
})
